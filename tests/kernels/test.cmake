frit_test(ROOM kernels OWN_NAMES)
