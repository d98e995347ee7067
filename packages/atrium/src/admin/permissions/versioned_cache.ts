import type { Person } from '../identity/person.js'
import { BoundedMap } from '#base/bounded_map'

const MOST = 1000

/* Milliseconds after which an entry expires, so that changes made directly in the database take effect */
const LONGEST_CACHED = 60_000

interface Stored<T> {
  version: number
  end: number
  value: T
}

/**
 * Caches data of users in the process. An entry is valid for one `permissions_version`, which every change of roles,
 * views and preferences raises.
 */
export class VersionedCache<T> {
  readonly #known = new WeakMap<object, BoundedMap<string, Stored<T>>>()

  /** @param isStored  returns false for values that are too large to cache */
  constructor(private readonly isStored: (value: T) => boolean = () => true) {}

  /**
   * Returns a cached value of a user, or reads it.
   *
   * @param owner  object that the data belongs to, such as the site
   * @param name   name of the value, unique for the user
   * @param read   reads the value if it is not cached or has an older version
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
    if (this.isStored(value)) known.set(key, { version, end: Date.now() + LONGEST_CACHED, value })
    return value
  }
}
