// A value that is made at the first call and kept. For dynamic imports on the turn path: node goes through its whole
// loader for each `import()`, also of a module that is long loaded (measured: 0.1 ms).

export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
