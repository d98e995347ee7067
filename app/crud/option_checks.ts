import { inspect } from 'node:util'
import { listed, ValueError } from './errors.js'

/**
 * What an option must be: a question, and the answer in words, which completes "and must be ...".
 */
export type Check = readonly [isRight: (value: any) => boolean, wanted: string]

export const TEXT: Check = [(value) => typeof value === 'string', 'a string']
export const LABEL: Check = [
  (value) => typeof value === 'string' && value.trim() !== '',
  'a string that is not empty',
]
export const TEXTS: Check = [(value) => isList(value, TEXT[0]), 'a list of strings']
export const TRUTH: Check = [(value) => typeof value === 'boolean', 'true or false']
export const FUNCTION: Check = [(value) => typeof value === 'function', 'a function']
export const OBJECT: Check = [isObject, 'an object']
export const POSITIVE: Check = [
  (value) => Number.isSafeInteger(value) && value > 0,
  'a positive integer',
]
/* Node.js takes a longer time for a millisecond. */
const LONGEST_TIMER = Math.floor((2 ** 31 - 1) / 1000)
export const SECONDS: Check = [
  (value) => POSITIVE[0](value) && value <= LONGEST_TIMER,
  `a positive integer of ${LONGEST_TIMER} at the most`,
]
export const PATH: Check = [
  (value) => typeof value === 'string' && /^(\/(?!\.{1,2}(\/|$))[\w~.-]+)*$/.test(slashed(value)),
  '/ or names of letters, digits and . _ ~ - after a / each',
]
/** Looked at where it is used */
export const ANY: Check = [() => true, '']

interface CheckSettings {
  /** The option that they are parts of, as in `pagination`; none: they are the options themselves */
  group?: string
  /** Whether an option may be there and undefined. Default: where there is no group */
  mayBeUndefined?: boolean
}

/**
 * Whether options are known, and each of them what it must be: a JavaScript caller, or a cast, gets past
 * the compiler. [P9]
 *
 * @param place  what the message begins with: a model's name, or a configuration file
 * @throws ValueError  for the first that is not
 */
export function checkEach(
  place: string,
  options: object,
  checks: Readonly<Record<string, Check>>,
  { group, mayBeUndefined = group === undefined }: CheckSettings = {}
): void {
  for (const [name, value] of Object.entries(options)) {
    const full = group === undefined ? name : `${group}.${name}`
    if (!Object.hasOwn(checks, name)) {
      const of = group === undefined ? '' : ` of ${group}`
      throw new ValueError(
        `${place}: there is no option '${full}'; options${of} are ${listed(Object.keys(checks))}`
      )
    }
    const [isRight, wanted] = checks[name]
    if (value === undefined && mayBeUndefined) continue
    if (!isRight(value)) {
      throw new ValueError(`${place}: ${full} is ${shown(value)}, and must be ${wanted}`)
    }
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isList(value)
}

/** Arrays and Sets: a string would be a list of letters, and a generator can be read but once. [P4] */
export function isList(value: unknown, isRight: (one: unknown) => boolean = () => true): boolean {
  return (Array.isArray(value) || value instanceof Set) && [...value].every(isRight)
}

/**
 * A wrong value, for a message: in one line.
 */
export function shown(value: unknown): string {
  return inspect(value, {
    depth: 1,
    breakLength: Infinity,
    compact: true,
    maxArrayLength: 5,
    maxStringLength: 60,
  })
}

/** A path is the same with and without a slash at its ends. */
function slashed(path: string): string {
  const inner = path.replace(/^\/+|\/+$/g, '')
  return inner === '' ? '' : `/${inner}`
}
