/*
 * Lucid 22.4.2 does not say whether a column's `serialize`, `consume` or `prepare` is its own or the model's.
 * `@column.date` and `@column.dateTime` make a new `serialize` for each column, so the source text tells it,
 * compared with a model made for the purpose. Its own `prepare` writes the digits of whatever zone a moment is
 * in. No issue known. It can go when a column's definition tells which of its functions are the model's.
 */
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { LucidModel, ModelColumnOptions } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'
import { expectGround } from './expect_ground.js'

class Probe extends BaseModel {
  static table = 'probe'
}
column.date()(Probe.prototype as any, 'date')
column.dateTime()(Probe.prototype as any, 'datetime')

const DEFAULTS = ['date', 'datetime'].map((name) => Probe.$getColumn(name)!)

/** @throws Exception  when Lucid's own functions cannot be recognised by their source text */
export function checkGround(types: { date: any; dateTime: any } = column): void {
  class Other extends BaseModel {
    static table = 'other'
  }
  types.date()(Other.prototype as any, 'date')
  types.dateTime()(Other.prototype as any, 'datetime')
  const parts: Array<[string, string]> = ['date', 'datetime'].flatMap((name) =>
    ['serialize', 'consume', 'prepare'].map((part): [string, string] => [name, part])
  )
  expectGround(
    '@adonisjs/lucid',
    'lucid_column_defaults',
    Object.fromEntries(
      parts.map(([name, part]) => {
        const made = Other.$getColumn(name)?.[part as 'serialize']
        const isSame = DEFAULTS.some((usual) => String(usual[part as 'serialize']) === String(made))
        return [`${part} of @column.${name}`, typeof made === 'function' && isSame]
      })
    )
  )
}

/** True if the model defines how this column is serialized. */
export function hasOwnSerialize(definition: ModelColumnOptions): boolean {
  return isOwn(definition, 'serialize')
}

/** True if the model defines how a database value becomes an attribute. */
export function hasOwnConsume(definition: ModelColumnOptions): boolean {
  return isOwn(definition, 'consume')
}

/**
 * Makes the model store moments in a format that every database understands, in UTC and in whole
 * seconds. Lucid writes the digits in the moment's own zone, and on PostgreSQL fractions of a second,
 * which sort and compare differently from the responses. [A20]
 *
 * @param inUtc  formats a moment
 */
export function storeWholeSeconds(model: LucidModel, inUtc: (moment: DateTime) => string): void {
  for (const definition of model.$columnsDefinitions.values()) {
    const { meta, prepare } = definition
    if (meta?.type !== 'datetime' || !prepare || isOwn(definition, 'prepare')) continue
    definition.prepare = (value, attribute, record) =>
      DateTime.isDateTime(value) && value.isValid ? inUtc(value) : prepare(value, attribute, record)
    WHOLE_SECONDS.add(definition.prepare)
  }
}

/** True if the model defines how an attribute becomes a database value. */
export function hasOwnPrepare(definition: ModelColumnOptions): boolean {
  return !WHOLE_SECONDS.has(definition.prepare!) && isOwn(definition, 'prepare')
}

const WHOLE_SECONDS = new WeakSet<object>()

/* Lucid creates a new function for every column, so only the source text tells its own from others. */
function isOwn(definition: ModelColumnOptions, name: 'serialize' | 'consume' | 'prepare'): boolean {
  const own = definition[name]
  return typeof own === 'function' && !DEFAULTS.some((usual) => String(usual[name]) === String(own))
}
