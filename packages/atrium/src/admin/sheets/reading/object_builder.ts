import type { Token } from 'stream-json/core/parser.js'
import { FileFault } from '../../errors.js'
import { exactNumber } from './exact_json.js'
import { DEEPEST, MOST_VALUES } from './json_depth.js'

type Container = unknown[] | Record<string, unknown>

/** Properties of an object around the list, as in responses of the API */
const LISTS: readonly string[] = ['items', 'data']

/**
 * Makes the objects of a list out of the tokens of a JSON file: `[{...}]`, or `{ "items": [{...}] }`. Numbers are
 * exact.
 */
export class ObjectBuilder {
  /** Number of the object that was begun last, counted from 1 */
  line = 0
  /** True after the beginning of the list */
  hasList = false
  #isInList = false
  /** Containers around a value of the file's outermost object that is not the list */
  #skipped = 0
  #isInRoot = false
  #rootKey = ''
  #open: Container[] = []
  #keys: string[] = []
  /** Of the object that is open */
  #values = 0

  /**
   * @returns an object of the list if the token completes one
   * @throws FileFault  for an item of the list that is not an object, and for one that is too deep
   */
  take(token: Token): Record<string, unknown> | null {
    if (this.#open.length > 0) return this.#inObject(token)
    if (this.#isInList) this.#atItem(token)
    else this.#around(token)
    return null
  }

  #atItem(token: Token): void {
    if (token.name === 'endArray') {
      this.#isInList = false
      return
    }
    this.line++
    if (token.name !== 'startObject') throw new FileFault('sheets.fault.noObject', {}, this.line)
    this.#open.push({})
    this.#values = 0
  }

  #around(token: Token): void {
    const { name } = token
    if (name === 'startArray' && this.#skipped === 0 && this.#isListHere()) {
      this.hasList = true
      this.#isInList = true
    } else if (name === 'startObject' && !this.#isInRoot) this.#isInRoot = true
    else if (name === 'startObject' || name === 'startArray') this.#skipped++
    else if (name === 'endObject' || name === 'endArray') this.#skipped--
    else if (name === 'keyValue' && this.#skipped === 0) this.#rootKey = token.value
  }

  #isListHere(): boolean {
    return !this.hasList && (!this.#isInRoot || LISTS.includes(this.#rootKey))
  }

  #inObject(token: Token): Record<string, unknown> | null {
    switch (token.name) {
      case 'keyValue':
        this.#keys.push(token.value)
        return null
      case 'startObject':
      case 'startArray':
        if (this.#open.length >= DEEPEST) {
          throw new FileFault('sheets.fault.deep', { most: DEEPEST }, this.line)
        }
        this.#open.push(token.name === 'startArray' ? [] : {})
        return null
      case 'endObject':
      case 'endArray':
        return this.#close()
      case 'numberValue':
        this.#add(exactNumber(token.value))
        return null
      default:
        this.#add((token as { value: unknown }).value)
        return null
    }
  }

  #close(): Record<string, unknown> | null {
    const value = this.#open.pop()!
    if (this.#open.length === 0) return value as Record<string, unknown>
    this.#add(value)
    return null
  }

  #add(value: unknown): void {
    if (++this.#values > MOST_VALUES) {
      throw new FileFault('sheets.fault.manyValues', { most: MOST_VALUES }, this.line)
    }
    const container = this.#open.at(-1)!
    if (Array.isArray(container)) container.push(value)
    else {
      /* A property named `__proto__` is one like others. */
      Object.defineProperty(container, this.#keys.pop()!, {
        value,
        configurable: true,
        enumerable: true,
        writable: true,
      })
    }
  }
}
