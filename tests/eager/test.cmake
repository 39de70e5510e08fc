frit_test(ROOM eager OWN_NAMES)
