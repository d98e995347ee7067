import type { LucidRow } from '@adonisjs/lucid/types/model'
import { isSameValue, attributeValue, toApi } from '#base/values/to_api'
import { parseUpdate, type BodyField, type BodySchema } from '#base/schema/body_schema'
import type { Site } from '../../views/site.js'
import { formFields, type FormMode } from '../../forms/fields/form_fields.js'
import { plainTexts, unseenFields } from '../../views/visible_when.js'
import { isForPeople } from '../../forms/submission/form_failure.js'
import {
  internalValues,
  keyIn,
  requiredIn,
  storedValues,
} from '../../forms/submission/submitted_values.js'
import type { ImportSpec } from '../import_spec.js'
import { UnreadableText } from '../../text/errors.js'
import { valueOfCell } from '../../sheets/cell_value.js'
import type { Cell } from '../../sheets/file_shape.js'
import { addError, isInvalidIn, type CheckedRow, noteError } from './checked_row.js'

/**
 * Validates a row with the schema of a create or an update, and determines the values to write.
 */
export async function validateValues(
  site: Site,
  spec: ImportSpec,
  checkedRow: CheckedRow
): Promise<void> {
  /* Without the key it is unknown which schema applies to the row. */
  if (isInvalidIn(checkedRow, namesOf(spec.key))) return
  const { mayCreate, mayUpdate, view } = spec.importer
  const isAllowed = checkedRow.record ? mayUpdate : mayCreate
  if (!isAllowed) {
    const key = checkedRow.record ? 'import.errors.noUpdate' : 'import.errors.noCreate'
    addError(checkedRow, null, site.text(key))
    return
  }
  try {
    await validate(site, spec, checkedRow)
  } catch (error) {
    noteError(site, view, checkedRow, error)
    await validateInvalidRow(site, spec, checkedRow)
  }
}

async function validate(site: Site, spec: ImportSpec, checkedRow: CheckedRow): Promise<void> {
  if (checkedRow.record)
    await validateUpdate(site, spec, checkedRow, checkedRow.record, checkedRow.seen!)
  else await validateCreate(site, spec, checkedRow)
}

/**
 * Determines the values of the valid fields of an invalid row, so that their unique values and references are checked
 * as well.
 */
async function validateInvalidRow(
  site: Site,
  spec: ImportSpec,
  checkedRow: CheckedRow
): Promise<void> {
  if (isInvalidIn(checkedRow, namesOf(spec.key))) return
  try {
    await validate(site, spec, checkedRow)
  } catch (error) {
    /* Ignored, as the error concerns the fields that are left out here. */
    if (!isForPeople(error)) throw error
  }
}

function namesOf(fields: ReadonlyArray<{ name: string }>): string[] {
  return fields.map(({ name }) => name)
}

/**
 * Returns the values of the fields that are not known to be invalid, and the names of the other fields.
 */
function goodPart({ body, errors }: CheckedRow): {
  body: Record<string, unknown>
  invalid: Set<string>
} {
  if (errors.length === 0) return { body, invalid: NONE }
  const invalid = new Set(errors.flatMap(({ field }) => field ?? []))
  const good = Object.entries(body).filter(([name]) => !invalid.has(name))
  return { body: Object.fromEntries(good), invalid }
}

async function validateCreate(site: Site, spec: ImportSpec, checkedRow: CheckedRow): Promise<void> {
  const { view } = spec.importer
  const { createBody, key } = view.resource
  const { body: good, invalid } = goodPart(checkedRow)
  const body = withoutEmpty(createBody, good)
  const optional = unseen(site, spec, 'create', body).union(invalid)
  const values = await createBody.parse(body, { operation: 'create' }, false, optional)
  for (const column of key.columns) {
    const given = good[column.apiName]
    const isTaken = createBody.fields.some((field) => field.column === column)
    if (isTaken || given === null || given === undefined) continue
    const message = site.text('import.errors.unknownKey', { value: String(given) })
    addError(checkedRow, column.apiName, message)
    return
  }
  checkedRow.kind = 'new'
  checkedRow.values = values
  for (const { column, apiName } of createBody.fields) {
    if (!column || column.hidden || !Object.hasOwn(values, column.attribute)) continue
    checkedRow.changes.set(apiName, { before: null, after: attributeValue(column, values) })
  }
}

async function validateUpdate(
  site: Site,
  spec: ImportSpec,
  checkedRow: CheckedRow,
  record: LucidRow,
  seen: LucidRow
): Promise<void> {
  const { view } = spec.importer
  const { key, updateBody } = view.resource
  const { body, invalid } = goodPart(checkedRow)
  const whole = { ...keyIn(view, record), ...requiredIn(view, record, body), ...body }
  const optional = unseen(site, spec, 'update', body, record).union(invalid)
  const meta = { operation: 'update', key: key.of(record) }
  const values = await parseUpdate(updateBody, {
    body: whole,
    meta,
    optional,
    stored: () => storedValues(seen, updateBody.fields),
  })
  for (const field of writable(updateBody)) {
    const { apiName, column, input } = field
    const name = column?.attribute ?? input
    if (!Object.hasOwn(body, apiName) || !Object.hasOwn(values, name)) continue
    if (column && isSameValue(column, values, seen.$attributes)) continue
    if (!column && body[apiName] === null) continue
    checkedRow.values[name] = values[name]
    if (!column || column.hidden) continue
    const before = attributeValue(column, seen)
    checkedRow.changes.set(apiName, { before, after: toApi(column, values[name]) })
  }
  checkedRow.kind = Object.keys(checkedRow.values).length > 0 ? 'changed' : 'unchanged'
  if (checkedRow.kind === 'changed') Object.assign(checkedRow.values, internalValues(view))
}

/**
 * Returns the fields that a row can have. Read-only fields are included, because the update itself checks them: an
 * unchanged value is not a write.
 */
function writable({ fields, readOnly }: BodySchema): BodyField[] {
  return [...fields, ...readOnly].filter(({ column }) => !column?.isPrimary)
}

/**
 * Handles the empty cells of a new record: null if the schema accepts it, otherwise the cell is ignored.
 */
function withoutEmpty(
  { fields }: BodySchema,
  body: Record<string, unknown>
): Record<string, unknown> {
  const takesNull = new Set(fields.filter(({ nullable }) => nullable).map(({ apiName }) => apiName))
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== null || takesNull.has(name))
  )
}

/**
 * Returns the fields that the form would hide with these values, and which are therefore not required.
 */
function unseen(
  site: Site,
  { importer }: ImportSpec,
  mode: FormMode,
  body: Record<string, unknown>,
  record?: LucidRow
): Set<string> {
  const fields = formFields(site, importer.view, mode)
  if (fields.every(({ condition }) => condition === undefined)) return NONE
  return unseenFields(fields, (name) => {
    if (Object.hasOwn(body, name)) return plainTexts(body[name])
    const column = importer.view.resource.columns.find(name)
    return column && record ? plainTexts(attributeValue(column, record.$attributes)) : []
  })
}

const NONE = new Set<string>()

/** Converts the cells of a row to values of fields. References by title stay titles. */
export function readCells(site: Site, spec: ImportSpec, checkedRow: CheckedRow): void {
  const { row } = checkedRow
  if (row.error) {
    addError(checkedRow, null, site.text(row.error.key, row.error.data))
    return
  }
  Object.assign(checkedRow.body, spec.values)
  const { dateOrder, zone } = spec.options
  const { format, isFrom1904 } = spec
  const common = { format, isFrom1904, zone }
  for (const { byTitle, dateOrder: found, field, index } of spec.columns) {
    const cell: Cell = row.cells[index]
    if (cell === undefined) continue
    const column = byTitle ? field.reference!.view.titleColumn : field.column
    const cellError = row.cellErrors?.find((one) => one.index === index)
    if (cellError && (!cellError.isOfText || column?.isText)) {
      addError(checkedRow, field.name, site.text(cellError.key, cellError.data))
      continue
    }
    try {
      const options = { ...common, dateOrder: dateOrder ?? found }
      checkedRow.body[field.name] = valueOfCell(column, cell, options)
    } catch (error) {
      if (!(error instanceof UnreadableText)) throw error
      addError(checkedRow, field.name, `${field.label} ${error.message}`)
    }
  }
}
