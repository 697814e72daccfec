"""Defines tables of operators on tensors, one file for each family: functions of torch and methods of
`Tensor`.

Layers are in `modules`, losses in `losses`.
"""
