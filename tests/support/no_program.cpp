// What a target is made of that exists for its precompiled headers.
int main() {
  return 0;
}
