"""Makes the project's site from the files that there are: pages of rules, notes, errors and documents."""
