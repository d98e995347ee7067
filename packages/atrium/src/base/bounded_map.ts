/**
 * A map that drops the least recently used entry once it has too many.
 */
export class BoundedMap<Key, Value> {
  readonly #values = new Map<Key, Value>()

  /**
   * @param most  how many it keeps
   */
  constructor(readonly most: number) {}

  get size(): number {
    return this.#values.size
  }

  get(key: Key): Value | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= this.most) return
    const [oldest] = this.#values.keys()
    this.#values.delete(oldest)
  }

  delete(key: Key): void {
    this.#values.delete(key)
  }
}
