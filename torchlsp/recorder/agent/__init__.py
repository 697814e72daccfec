"""The part of the recorder that runs under the user's Python, from 3.8 on: this folder is put on its `PYTHONPATH`.

Files are in the syntax of Python 3.8 and import nothing of torchlsp outside of this folder.
"""
