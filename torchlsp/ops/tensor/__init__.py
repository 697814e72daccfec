"""Tables of operators on tensors: the functions of torch and the methods of Tensor."""
