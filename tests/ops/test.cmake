frit_test(ROOM ops EXTERNAL op_samples OWN_NAMES)
