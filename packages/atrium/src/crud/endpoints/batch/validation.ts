import type { Condition } from '#base/columns/condition'
import type { KeyValue } from '#base/columns/key'
import { Problem, type FieldError } from '#base/errors'
import type { Item } from '../../types.js'

type Values = Record<string, unknown>

/** What the validation of a batch needs. */
export interface BatchValidation {
  /** True to refuse fields that the schema does not have */
  isStrict: boolean
  /** Reads the stored item; null if the caller can't see it */
  stored: (key: KeyValue) => Promise<Item | null>
  /** Returns the key of the item that meets a condition */
  find: (condition: Condition) => Promise<KeyValue | null>
}

/** Returns the values, or the errors of the invalid fields. */
export async function failuresIn(parsing: Promise<Values>): Promise<Values | FieldError[]> {
  try {
    return await parsing
  } catch (error) {
    if (error instanceof Problem && error.errors) return error.errors
    throw error
  }
}
