struct a { int b; };
int main(void) { return 0; }
