"""Checks of the family TL8xx: process groups, collectives that ranks disagree on, and wrapped models.

Where a rank comes from and which calls are collectives is in `interp.objects.process_groups`.
"""
