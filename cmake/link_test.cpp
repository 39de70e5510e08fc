// See frit_link_test in rooms.cmake.
int main() { return 0; }
