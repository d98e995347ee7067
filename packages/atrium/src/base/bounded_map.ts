/** A map with a maximum size that removes the least recently used entry. */
export class BoundedMap<Key, Value> {
  readonly #values = new Map<Key, Value>()

  /**
   * @param most  maximum number of entries
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
