import type { Person } from '../identity/person.js'
import { BoundedMap } from '#base/bounded_map'

const MOST = 1000

/* Milliseconds after which even what was written past the application counts */
const LONGEST_KEPT = 60_000

interface Stored<T> {
  version: number
  end: number
  value: T
}

/**
 * Knowledge of users in a process, read once for each `permissions_version`, which every change of roles, views
 * and preferences raises.
 */
export class VersionedCache<T> {
  readonly #known = new WeakMap<object, BoundedMap<string, Stored<T>>>()

  /**
   * @param isStored  false for values that are too large to keep
   */
  constructor(private readonly isStored: (value: T) => boolean = () => true) {}

  /**
   * @param owner  of what is known, as the site
   * @param name   of the value among those of the user
   * @param read   reads it where it is not known, or not in this version
   */
  async of(
    owner: object,
    { id, permissionsVersion: version }: Pick<Person, 'id' | 'permissionsVersion'>,
    name: string,
    read: () => Promise<T>
  ): Promise<T> {
    let known = this.#known.get(owner)
    if (!known) this.#known.set(owner, (known = new BoundedMap(MOST)))
    const key = `${id} ${name}`
    const last = known.get(key)
    if (last?.version === version && Date.now() < last.end) return last.value
    const value = await read()
    if (this.isStored(value)) known.set(key, { version, end: Date.now() + LONGEST_KEPT, value })
    return value
  }
}
