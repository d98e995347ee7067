/*
 * Lucid 22.4.2: `$dirty` compares values with fast-deep-equal, which calls `valueOf` and `toString` of an object, and
 * calls `isDirty` of an object that has it. In a JSON column these are data: for an object with a key `valueOf` or
 * `toString`, each save failed with a TypeError, and an object with `isDirty: false` was not stored. Here, plain
 * objects and arrays are compared by their content. No issue known. The code can be removed when the test "Lucid by
 * itself still calls methods of a column’s data" fails.
 */
import { isDeepStrictEqual } from 'node:util'
import { BaseModel } from '@adonisjs/lucid/orm'
import { expectLibrary } from './expect_library.js'
import { repairMember } from './repair_member.js'

type Values = Record<string, unknown>

interface Row {
  $attributes: Values
  $original: Values
  readonly $isPersisted: boolean
}

/** Lucid's getter */
export const lucidsDirty = dirtyOf(BaseModel.prototype)

/** Replacement of the getter, for models that are repaired */
const dirtyData = {
  configurable: true,
  get(this: Row) {
    const names = this.$isPersisted ? namesOfData(this.$attributes) : []
    return names.length === 0 ? lucidsDirty!.call(this) : changes(this, names)
  },
}

/**
 * Makes the records of a model compare plain objects and arrays by their content.
 *
 * @throws Exception  when Lucid detects changes with another member
 */
export function compareData(model: { prototype: object }): void {
  checkLibrary()
  repairMember(model.prototype, '$dirty', dirtyData)
}

/**
 * Checks the part of Lucid that this file relies on.
 *
 * @throws Exception  when Lucid detects changes with another member
 */
export function checkLibrary(row: object = BaseModel.prototype): void {
  expectLibrary('@adonisjs/lucid', 'lucid_dirty_data', {
    'getter BaseModel#$dirty': dirtyOf(row) !== undefined,
  })
}

function dirtyOf(row: object): ((this: object) => Values) | undefined {
  return Object.getOwnPropertyDescriptor(row, '$dirty')?.get
}

function namesOfData(attributes: Values): string[] {
  return Object.keys(attributes).filter((name) => isData(attributes[name]))
}

function isData(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * Returns the changes of a record. Lucid compares all values except plain objects and arrays: it receives a record
 * without these.
 */
function changes(row: Row, names: readonly string[]): Values {
  const { $attributes, $original } = row
  const others = Object.create(row, {
    $attributes: { value: without($attributes, names) },
    $original: { value: without($original, names) },
  })
  const changed = names.filter((name) => !isDeepStrictEqual($attributes[name], $original[name]))
  return {
    ...lucidsDirty!.call(others),
    ...Object.fromEntries(changed.map((name) => [name, $attributes[name]])),
  }
}

function without(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}
