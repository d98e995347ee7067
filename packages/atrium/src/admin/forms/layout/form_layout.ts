import { fieldName } from '../fields/form_field.js'
import { FormSection, FormTab, type FormPart } from '../../views/form_parts.js'

const USUAL_COLUMNS = 2

/** The properties of a field that the layout uses. */
export interface LaidOutField {
  readonly name: string
  /** API name, if the name of the input has a prefix */
  readonly apiName?: string
  readonly error?: string | undefined
  readonly required?: boolean
  /** Texts that the field shows */
  readonly values?: readonly string[]
  /** Set if the field shows a value of an earlier version of the record */
  readonly restored?: unknown
  /** Set if a required field can be submitted empty because a stored file remains */
  readonly file?: unknown
}

interface FieldsBlock<Field> {
  kind: 'fields'
  columns: number
  fields: Field[]
}

interface SectionBlock<Field> {
  kind: 'section'
  id: string
  title: string
  help: string | undefined
  isFoldable: boolean
  isOpen: boolean
  blocks: Array<Block<Field>>
}

interface TabBlock<Field> {
  id: string
  title: string
  help: string | undefined
  /** Number of invalid fields on the tab */
  errors: number
  isSelected: boolean
  blocks: Array<Block<Field>>
}

interface TabsBlock<Field> {
  kind: 'tabs'
  id: string
  tabs: Array<TabBlock<Field>>
}

/** A part of a form's layout with its fields. */
export type Block<Field> = FieldsBlock<Field> | SectionBlock<Field> | TabsBlock<Field>

/**
 * Arranges the fields of a form as in the option `form`. Fields that the option does not contain are at the end;
 * sections and tabs without fields are left out.
 *
 * @param parts   layout; undefined for one block with all fields
 * @param fields  fields that the viewer can see, in the order of the schema
 */
export function layoutOf<Field extends LaidOutField>(
  parts: Iterable<FormPart> | undefined,
  fields: readonly Field[]
): Array<Block<Field>> {
  return new Layout(fields).of(parts ?? [])
}

/** Returns the fields in the order of their layout. */
export function inLayoutOrder<Field extends LaidOutField>(
  parts: Iterable<FormPart> | undefined,
  fields: readonly Field[]
): Field[] {
  return layoutOf(parts, fields).flatMap(fieldsIn)
}

class Layout<Field extends LaidOutField> {
  readonly #left: Map<string, Field>
  #sections = 0
  #tabs = 0

  constructor(fields: readonly Field[]) {
    this.#left = new Map(fields.map((field) => [field.apiName ?? fieldName(field.name), field]))
  }

  of(parts: Iterable<FormPart>): Array<Block<Field>> {
    const blocks = this.#blocks(parts, USUAL_COLUMNS)
    const rest = [...this.#left.values()]
    return rest.length > 0 ? joined(blocks, rest, USUAL_COLUMNS) : blocks
  }

  #blocks(parts: Iterable<FormPart>, columns: number): Array<Block<Field>> {
    let blocks: Array<Block<Field>> = []
    for (const part of parts) {
      if (part instanceof FormSection) blocks.push(...this.#section(part))
      else if (part instanceof FormTab) this.#addTab(blocks, part)
      else blocks = joined(blocks, this.#take(part), columns)
    }
    return blocks.filter((block) => block.kind !== 'tabs' || block.tabs.length > 0)
  }

  #take(name: string): Field[] {
    const field = this.#left.get(name)
    this.#left.delete(name)
    return field ? [field] : []
  }

  #section({ title, parts, options }: FormSection): Array<Block<Field>> {
    const id = `form-section-${++this.#sections}`
    const blocks = this.#blocks(parts, options.columns ?? USUAL_COLUMNS)
    if (blocks.length === 0) return []
    const isFoldable = options.collapsed !== undefined
    const isOpen = !options.collapsed || blocks.flatMap(fieldsIn).some(needsAttention)
    return [{ kind: 'section', id, title, help: options.help, isFoldable, isOpen, blocks }]
  }

  #addTab(into: Array<Block<Field>>, { title, parts, options }: FormTab): void {
    const id = `form-tab-${++this.#tabs}`
    let group = into.at(-1)
    if (group?.kind !== 'tabs') into.push((group = { kind: 'tabs', id: `${id}-row`, tabs: [] }))
    const blocks = this.#blocks(parts, options.columns ?? USUAL_COLUMNS)
    if (blocks.length === 0) return
    const errors = blocks.flatMap(fieldsIn).filter(isInvalid).length
    group.tabs.push({ id, title, help: options.help, errors, isSelected: false, blocks })
    const selected =
      group.tabs.find((one) => one.errors > 0) ?? group.tabs.find(isRestored) ?? group.tabs[0]
    for (const one of group.tabs) one.isSelected = one === selected
  }
}

/** Adds fields to the last block if it consists of fields, otherwise to a new block. */
function joined<Field>(
  blocks: Array<Block<Field>>,
  fields: Field[],
  columns: number
): Array<Block<Field>> {
  if (fields.length === 0) return blocks
  const last = blocks.at(-1)
  if (last?.kind !== 'fields') return [...blocks, { kind: 'fields', columns, fields }]
  return [...blocks.slice(0, -1), { ...last, fields: [...last.fields, ...fields] }]
}

function fieldsIn<Field>(block: Block<Field>): Field[] {
  if (block.kind === 'fields') return block.fields
  if (block.kind === 'section') return block.blocks.flatMap(fieldsIn)
  return block.tabs.flatMap(({ blocks }) => blocks.flatMap(fieldsIn))
}

function isRestored<Field extends LaidOutField>({ blocks }: { blocks: Array<Block<Field>> }) {
  return blocks.flatMap(fieldsIn).some(({ restored }) => restored)
}

function isInvalid({ error }: LaidOutField): boolean {
  return error !== undefined
}

/**
 * Returns true if a section with the field must be open: the browser can't report an empty required field in a closed
 * section.
 */
function needsAttention(field: LaidOutField): boolean {
  const isEmpty = !field.file && (field.values ?? []).every((text) => text === '')
  return isInvalid(field) || Boolean(field.restored) || (field.required === true && isEmpty)
}
