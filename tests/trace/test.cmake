frit_test(ROOM trace USES trace passes)
