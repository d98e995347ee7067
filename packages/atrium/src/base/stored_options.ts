import { inspect } from 'node:util'
import { ValueError } from './errors.js'

/**
 * Options of a decorator: an object, or a function that returns it after all models have been imported, so that it can
 * refer to modules that import models.
 */
export type LazyOptions<Options> = Options | (() => Options)

/* A global symbol: after a hot reload the class is new, but the key is the same. */
export const CRUD_OPTIONS = Symbol.for('crud.options')
export const ADMIN_OPTIONS = Symbol.for('admin.options')

/** True if the class itself has a decorator of the engine, with any options. */
export function isDecorated(model: object): boolean {
  return Object.hasOwn(model, CRUD_OPTIONS) || Object.hasOwn(model, ADMIN_OPTIONS)
}

/** Stores the options on the class. */
export function storeOptions(model: object, key: symbol, options: unknown): void {
  Object.defineProperty(model, key, { value: options, configurable: true })
}

/**
 * Returns the options of this class; a subclass does not inherit them. A function is called once.
 *
 * @throws ValueError  when the function throws or returns no options
 */
export function storedOptions<Options extends object>(
  model: object,
  key: symbol,
  decorator: string
): Options | undefined {
  if (!Object.hasOwn(model, key)) return undefined
  const stored = (model as Record<symbol, LazyOptions<Options>>)[key]
  if (typeof stored !== 'function') {
    if (isOptions(stored)) return stored
    throw new ValueError(
      `${(model as Function).name}: ${decorator} was given ${inspect(stored, { depth: 0 })}, and takes an object of options, or a function that returns one`
    )
  }
  const options = called(
    stored as () => Options,
    `${(model as Function).name}: the function`,
    decorator
  )
  storeOptions(model, key, options)
  return options
}

function called<Options>(give: () => Options, what: string, decorator: string): Options {
  let options: Options
  try {
    options = give()
  } catch (error) {
    throw new ValueError(`${what} given to ${decorator} threw: ${messageOf(error)}`, {
      cause: error,
    })
  }
  if (!isOptions(options)) {
    throw new ValueError(
      `${what} given to ${decorator} returned ${inspect(options, { depth: 0 })}, and must return the options, as in ${decorator}(() => ({ policy }))`
    )
  }
  return options
}

function isOptions(value: unknown): boolean {
  const isObject = typeof value === 'object' && value !== null
  return isObject && !(value instanceof Promise) && !Array.isArray(value)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
