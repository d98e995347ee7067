import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { LucidModel, ModelColumnOptions } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'

class Probe extends BaseModel {
  static table = 'probe'
}
column.date()(Probe.prototype as any, 'date')
column.dateTime()(Probe.prototype as any, 'datetime')

const DEFAULTS = ['date', 'datetime'].map((name) => Probe.$getColumn(name)!)

/** True if the model defines how this column is serialized. */
export function hasOwnSerialize(definition: ModelColumnOptions): boolean {
  return isOwn(definition, 'serialize')
}

/** True if the model defines how a database value is converted to an attribute. */
export function hasOwnConsume(definition: ModelColumnOptions): boolean {
  return isOwn(definition, 'consume')
}

/**
 * Makes the model store datetimes in a format that every database understands, in UTC and whole seconds. Lucid writes
 * the digits in the time zone of the `DateTime`, and on PostgreSQL fractions of a second, so that lists would be sorted
 * and filtered by other values than those in responses.
 *
 * @param inUtc  formats a datetime
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

/** True if the model defines how an attribute is converted to a database value. */
export function hasOwnPrepare(definition: ModelColumnOptions): boolean {
  return !WHOLE_SECONDS.has(definition.prepare!) && isOwn(definition, 'prepare')
}

const WHOLE_SECONDS = new WeakSet<object>()

/*
 * Lucid 22.4.2 creates new functions for each column of `@column.date` and `@column.dateTime`, without a mark. They are
 * recognized by their source text, which is compared with that of a model created for this purpose.
 */
function isOwn(definition: ModelColumnOptions, name: 'serialize' | 'consume' | 'prepare'): boolean {
  const own = definition[name]
  return typeof own === 'function' && !DEFAULTS.some((usual) => String(usual[name]) === String(own))
}
