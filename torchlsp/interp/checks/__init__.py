"""The checks: each file looks for one mistake, in the folder of the rule family that reports it.

`hooks` declares what a check is called for, `running` lists those that run along with the program, `after_the_run` those that
read a whole run. A check reports faults, without sentences: how they are worded is the rule's.
"""
