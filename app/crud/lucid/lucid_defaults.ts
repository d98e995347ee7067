import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { LucidModel, ModelColumnOptions } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'
import { inUtc } from '../values/datetime.js'

/*
 * What `@column.date` and `@column.dateTime` put on a column by themselves, read from a model made
 * for the purpose. Lucid does not say whether a `serialize` or `consume` is its own or the model's.
 */
class Probe extends BaseModel {
  static table = 'probe'
}
column.date()(Probe.prototype as any, 'date')
column.dateTime()(Probe.prototype as any, 'datetime')

const DEFAULTS = ['date', 'datetime'].map((name) => Probe.$getColumn(name)!)

/**
 * Whether the model itself says how this column is turned into JSON.
 */
export function hasOwnSerialize(definition: ModelColumnOptions): boolean {
  return isOwn(definition, 'serialize')
}

/**
 * Whether the model itself says how a value from the database becomes an attribute.
 */
export function hasOwnConsume(definition: ModelColumnOptions): boolean {
  return isOwn(definition, 'consume')
}

/**
 * Has the model store moments as every database understands them, in UTC and in whole seconds. Lucid
 * writes the digits of whatever zone a moment is in, and on PostgreSQL parts of a second, which sort
 * and compare unlike what answers show. [A20]
 */
export function storeWholeSeconds(model: LucidModel): void {
  for (const definition of model.$columnsDefinitions.values()) {
    const { meta, prepare } = definition
    if (meta?.type !== 'datetime' || !prepare || isOwn(definition, 'prepare')) continue
    definition.prepare = (value, attribute, record) =>
      DateTime.isDateTime(value) && value.isValid ? inUtc(value) : prepare(value, attribute, record)
  }
}

/* Lucid makes a new function for every column, so the source text is what tells its own from others. */
function isOwn(definition: ModelColumnOptions, name: 'serialize' | 'consume' | 'prepare'): boolean {
  const own = definition[name]
  return typeof own === 'function' && !DEFAULTS.some((usual) => String(usual[name]) === String(own))
}
