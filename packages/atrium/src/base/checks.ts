import { listed, shown, ValueError } from './errors.js'

/** A test of an option's value, and the text after "and must be ..." in the error message. */
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
/* The longest timer of Node.js, in seconds; a longer timer would fire after one millisecond. */
const LONGEST_TIMER = Math.floor((2 ** 31 - 1) / 1000)
export const SECONDS: Check = [
  (value) => POSITIVE[0](value) && value <= LONGEST_TIMER,
  `a positive integer of ${LONGEST_TIMER} at the most`,
]
export const PATH: Check = [
  (value) => typeof value === 'string' && /^(\/(?!\.{1,2}(\/|$))[\w~.-]+)*$/.test(slashed(value)),
  '/ or names of letters, digits and . _ ~ - after a / each',
]
/** Accepts any value; the code that uses the option checks it */
export const ANY: Check = [() => true, '']

interface CheckSettings {
  /** Name of the option that contains the group, such as `pagination`; undefined for top-level options */
  group?: string
  /** True if an option can be present with the value undefined. Default: true for top-level options */
  mayBeUndefined?: boolean
}

/**
 * Checks that every option is known and has a valid value, because JavaScript callers and casts are not checked by the
 * compiler.
 *
 * @param place  beginning of the message: a model's name, or a configuration file
 * @throws ValueError  for the first invalid option
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

/**
 * True for an array or a Set whose items all pass the check. Other iterables are excluded: a string would be a list of
 * characters, and a generator can be read only once.
 */
export function isList(value: unknown, isRight: (one: unknown) => boolean = () => true): boolean {
  return (Array.isArray(value) || value instanceof Set) && [...value].every(isRight)
}

/** Returns the path with one slash at the beginning and none at the end; empty for a path of slashes only. */
function slashed(path: string): string {
  const inner = path.replace(/^\/+|\/+$/g, '')
  return inner === '' ? '' : `/${inner}`
}

/** True if a text can be a path segment. `.` and `..` cannot: clients resolve them before they send the request. */
export function isPathSegment(text: string): boolean {
  return /^(?!\.\.?$)[\w.~-]+$/.test(text)
}
