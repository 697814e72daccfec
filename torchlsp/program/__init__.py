"""The program model: one small tree per file, lowered from `ast` in one walk, which the interpreter reads."""
