import fc from 'fast-check'

const SURROGATES = 0xd8_00
const AFTER_SURROGATES = 0xe0_00

/**
 * For `unit` of `fc.string()`: any character of Unicode, as its `binary`. That makes a table of all of them, which takes
 * seconds and 145 MB in each process.
 */
export const ANY_CHARACTER = fc
  .nat(0x10_ff_ff - (AFTER_SURROGATES - SURROGATES))
  .map((code) => String.fromCodePoint(code < SURROGATES ? code : code + 0x8_00), codeOf)

function codeOf(character: unknown): number {
  const code = String(character).codePointAt(0)!
  return code < SURROGATES ? code : code - 0x8_00
}
