extern "C" int value() { return SAMPLE_VALUE; }
extern "C" int twice(int x) { return 2 * x; }
