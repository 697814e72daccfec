"""From text to trees and back: `ast` for meaning, libCST fragments for rules and fixes, comments, edits."""
