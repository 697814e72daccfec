# pads a text very far
x = f'{1:>2000000000}'
