# climbs from a tuple to all classes
kinds = ().__class__
