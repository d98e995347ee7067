import { BaseModel } from '@adonisjs/lucid/orm'
import type { LucidRow, LucidModel } from '@adonisjs/lucid/types/model'
import { pickFields, type Fields } from '#base/columns/fields'
import { attributeToApi, serializerOf } from '#base/values/to_api'
import type { Item } from '../types.js'
import type { Readable } from './row_statements.js'
import { shareExactRow } from '#base/lucid/exact_attributes'

/** Returns a copy of a record without some attributes, for application code that creates responses. */
function recordWithout(record: LucidRow, attributes: ReadonlySet<string>): LucidRow {
  const model = record.constructor as LucidModel
  const copy = new model() as LucidRow
  copy.$attributes = Object.fromEntries(
    Object.entries(record.$attributes).filter(([name]) => !attributes.has(name))
  )
  copy.$hydrateOriginals()
  shareExactRow(copy, record)
  Object.assign(copy.$preloaded, record.$preloaded)
  Object.assign(copy.$extras, record.$extras)
  copy.$isPersisted = record.$isPersisted
  copy.$isLocal = record.$isLocal
  return copy
}

const METHODS_OF_JSON = ['toJSON', 'serialize', 'serializeAttributes'] as const

/** Converts records and rows to items of responses. */
export class ItemForm {
  constructor(private readonly resource: Readable) {}

  /** True if the model overrides the serialization of Lucid */
  get serializesItself(): boolean {
    const own = this.resource.model.prototype
    return METHODS_OF_JSON.some((name) => own[name] !== BaseModel.prototype[name])
  }

  /** True if items with these fields can only be created from a record, not from a row. */
  needsRecord({ columns, computed }: Fields): boolean {
    return (
      computed.size > 0 || this.serializesItself || columns.some((column) => column.needsHydration)
    )
  }

  /** Returns the record for application code that creates the response, without values that grants hide. */
  shown(record: LucidRow): LucidRow {
    const { concealed, hidesColumns } = this.resource
    return hidesColumns ? recordWithout(record, concealed) : record
  }

  /** Returns the API form of a model instance. A custom `serialize` of the model takes precedence. */
  toItem(whole: LucidRow, fields: Fields = this.resource.responseFields): Item {
    const isOwn = this.serializesItself || fields.columns.some(({ serialize }) => serialize)
    const record = isOwn ? this.shown(whole) : whole
    const all = fields === this.resource.responseFields && !this.resource.hidesColumns
    if (this.serializesItself) return all ? record.toJSON() : pickFields(record.toJSON(), fields)
    const item: Item = {}
    const attributes = record as unknown as Record<string, unknown>
    for (const column of fields.columns) {
      item[column.apiName] = attributeToApi(column, record)
    }
    for (const [attribute, name] of fields.computed) {
      const value = attributes[attribute]
      if (value !== undefined) item[name] = value
    }
    return item
  }
}

const ITEM_OF = new WeakMap<Fields, (row: Record<string, unknown>) => Item>()

/** Returns the function that converts a row to an item. It is created once per selection of fields. */
export function itemOf(fields: Fields): (row: Record<string, unknown>) => Item {
  const known = ITEM_OF.get(fields)
  if (known) return known
  const parts = fields.columns.map((column) => {
    const { name, apiName } = column
    return { name, apiName, form: serializerOf(column) }
  })
  const toItem = (row: Record<string, unknown>) => {
    const item: Item = {}
    for (const { name, apiName, form } of parts) {
      const value = row[name]
      item[apiName] = value === null || value === undefined ? null : form(value)
    }
    return item
  }
  ITEM_OF.set(fields, toItem)
  return toItem
}
