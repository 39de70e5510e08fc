frit_test(ROOM corpus USES compile passes PARTS 4)
