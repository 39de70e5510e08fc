frit_test(ROOM corpus USES compile passes)
