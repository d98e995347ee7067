/** A property of an awaited object: `await its(get('/'), 'status')`. */
export async function its<Value, Name extends keyof Value>(
  promise: PromiseLike<Value>,
  name: Name
): Promise<Value[Name]> {
  const value = await promise
  return value[name]
}
