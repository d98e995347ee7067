import { setImmediate } from 'node:timers/promises'
import type { HttpContext } from '@adonisjs/core/http'
import { keyOf } from '#crud/operations/item_keys'
import { fieldNames, selectFields, type Fields } from '#crud/request/fields'
import type { Column } from '#crud/resource/column'
import type { Item } from '#crud/types'
import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'
import { mayEach } from '../permissions/may.js'
import { referencesOf, titlesOf, type Reference } from '../relations/references.js'
import {
  cellsOf,
  cutText,
  isInvisible,
  ownCell,
  textCell,
  valueCell,
  type ShownCell,
} from './cell.js'
import { joinedTitles, type JoinedTitles } from './joined_titles.js'
import { type ListColumn } from './list_column.js'
import type { ListParameters } from './list_parameters.js'

/**
 * How a column is set.
 */
export interface ColumnStyle {
  /** Class names, each after a space, for its heading and for the cells below */
  style: string
  /** Whether records are known by what stands in it: it links to them, and stays in sight */
  isLead: boolean
}

/**
 * What stands above a column.
 */
export interface Heading extends ColumnStyle {
  name: string
  label: string
  numeric: boolean
  /** The order that the list has by this column; undefined where it can't be sorted by it */
  sorted: 'ascending' | 'descending' | 'none' | undefined
  /** Where a click leads */
  url: string | undefined
}

/**
 * A record of the list.
 */
export interface Row {
  /** Its key as a path has it, without the first slash */
  key: string
  /** What it is called, cut */
  title: string
  /** What its checkbox is called */
  label: string
  isDeleted: boolean
  cells: ShownCell[]
}

/** A column of the list: one of the model, a computed property, or one of the view's own. */
interface TableColumn {
  name: string
  label: string
  numeric: boolean
  sortBy: Column | undefined
  column?: Column
  reference?: Reference
  own?: ListColumn
}

/** What records are called, by what refers to them, as text */
type Titles = Map<string, string>

/** The titles that are read with the records, by the name of the list's column */
export type Joins = ReadonlyMap<string, JoinedTitles>

export const NO_JOINS: Joins = new Map()

/**
 * The titles that were read with the records.
 */
export interface Joined {
  joins: Joins
  /** What was read beside each record */
  beside: ReadonlyArray<Record<string, unknown>>
}

/**
 * The table of a list: its columns, and the records in them.
 */
export class ListTable {
  #columns: TableColumn[] | undefined
  #styles: ColumnStyle[] | undefined
  #fields: Fields | undefined
  #areFieldsKnown = false
  readonly #joins = new Map<string, JoinedTitles | null>()

  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {}

  /**
   * The columns' names, in their order.
   */
  get names(): string[] {
    return this.columns.map(({ name }) => name)
  }

  /**
   * Known once the resource is loaded, as only then a column's type is.
   */
  get columns(): readonly TableColumn[] {
    return (this.#columns ??= this.#resolved())
  }

  /**
   * What is read of each record: only what the table shows or goes by. Undefined where code of one's own
   * is given records, which are whole there.
   */
  get fields(): Fields | undefined {
    if (!this.#areFieldsKnown) {
      this.#fields = this.#fieldsRead()
      this.#areFieldsKnown = true
    }
    return this.#fields
  }

  /**
   * The titles that can be read with the records. Where the database has to sort these first, it would
   * look up the titles of all of them.
   */
  async joins(ctx: HttpContext, { sorts }: ListParameters): Promise<Joins> {
    const { key } = this.view.resource
    if (key.isComposite || sorts[0].column !== key.columns[0]) return NO_JOINS
    const joins = new Map<string, JoinedTitles>()
    for (const { name, reference } of this.columns) {
      if (!reference || !(await reference.view.isVisibleTo(ctx))) continue
      const join = this.#join(name, reference)
      if (join) joins.set(name, join)
    }
    return joins
  }

  /**
   * How the columns are set. The leading one is that which records are called by, if it is shown, else
   * the first.
   */
  get styles(): readonly ColumnStyle[] {
    return (this.#styles ??= this.#styled())
  }

  /**
   * What a column is called where one chooses what to search by: what refers to another record is
   * searched by that one's id.
   */
  searchLabel(wire: string): string {
    const label = this.view.labelOf(wire)
    const isReference = this.columns.some(({ name, reference }) => name === wire && reference)
    return isReference ? this.site.text('list.byId', { label }) : label
  }

  headings(parameters: ListParameters): Heading[] {
    const [first] = parameters.sorts
    return this.columns.map(({ name, label, numeric, sortBy }, index) => {
      const heading = { name, label, numeric, ...this.styles[index] }
      if (!sortBy) return { ...heading, sorted: undefined, url: undefined }
      const current = sortBy === first?.column ? first.direction : null
      const direction = current === 'asc' ? 'desc' : 'asc'
      return {
        ...heading,
        sorted: current === null ? 'none' : current === 'asc' ? 'ascending' : 'descending',
        url: parameters.with({ page: 1, sort: { column: sortBy, direction } }).url,
      }
    })
  }

  /**
   * @param items  with their keys
   */
  async rows(
    ctx: HttpContext,
    items: Item[],
    parameters: ListParameters,
    { joins, beside }: Joined = { joins: NO_JOINS, beside: [] }
  ): Promise<Row[]> {
    const titles = this.columns.map(({ reference, name }) => {
      if (!reference) return undefined
      const join = joins.get(name)
      const values = valuesOf(items, name)
      return join ? titlesIn(beside, values, join) : this.#titles(ctx, reference, values)
    })
    /* The cells are made while the database looks for the titles, which it does from here. */
    if (titles.some((one) => one instanceof Promise)) await setImmediate()
    const columns = await Promise.all(
      this.columns.map((one, index) => this.#cells(ctx, one, items, titles[index]))
    )
    const mayUpdate = await mayEach(
      ctx,
      this.view,
      'update',
      items.map((item) => keyOf(item)!)
    )
    const lead = this.styles.findIndex(({ isLead }) => isLead)
    /* Each title makes another text; to say it once and fill in is quicker than to say all. */
    const label = this.site.text('list.select', { title: '{title}' })
    return items.map((item, index) => {
      const value = keyOf(item)!
      const key = this.view.resource.key.toPath(value)
      const title = cutText(this.view.titleOf(item))
      const isDeleted = this.#isDeleted(item, parameters)
      const cells = columns.map((column) => column[index])
      /* The update page shows no record that is deleted. */
      if (!isDeleted && cells[lead] && mayUpdate(value)) {
        cells[lead] = linkedCell(cells[lead], title, this.view.url(`/update${key}`))
      }
      return {
        key: key.slice(1),
        title,
        label: label.replace('{title}', () => title),
        isDeleted,
        cells,
      }
    })
  }

  async #cells(
    ctx: HttpContext,
    shown: TableColumn,
    items: Item[],
    titles: Promise<Titles> | Titles | undefined
  ): Promise<ShownCell[]> {
    const text = this.site.text.bind(this.site)
    const { own, column, reference } = shown
    if (own) {
      const values = await Promise.all(items.map((item) => own.value(item, ctx)))
      return values.map((value) => ownCell(value, own.numeric))
    }
    const values = valuesOf(items, shown.name)
    if (!column) return values.map((value) => valueCell(value, text))
    const cells = cellsOf(column, values, { isGrouped: !this.#namesThings(column), text })
    return reference && titles ? await related(ctx, reference, await titles, values, cells) : cells
  }

  /** What others are called is not worth the list. */
  async #titles(ctx: HttpContext, reference: Reference, values: unknown[]): Promise<Titles> {
    try {
      return await titlesOf(ctx, reference, values)
    } catch (error) {
      if ((error as { status?: number }).status !== 403) {
        const { view, column } = reference
        ctx.logger.error(
          { err: error },
          `${this.view.name}: the titles of ${view.name} for ${column.wire} could not be read`
        )
      }
      return new Map<string, string>()
    }
  }

  /** Keys, references and years are numbers that nobody counts with. */
  #namesThings({ isPrimary, name, wire }: Column): boolean {
    const { foreignKeys } = this.view.resource
    return (
      isPrimary ||
      foreignKeys.some(({ columns }) => columns.includes(name)) ||
      /(^|_)(id|year)$/.test(wire)
    )
  }

  #isDeleted(item: Item, { deleted }: ListParameters): boolean {
    const { softDelete } = this.view.resource
    if (!softDelete || deleted === 'exclude') return false
    if (deleted === 'only') return true
    return Boolean(softDelete.flag ? item[softDelete.flag.wire] : item[softDelete.timestamp!.wire])
  }

  #resolved(): TableColumn[] {
    const { resource, options } = this.view
    const references = referencesOf(this.site, this.view)
    const chosen = options.listColumns ?? [
      ...resource.fields.map(({ wire }) => wire),
      ...resource.computed.values(),
    ]
    return [...chosen].map((one) => {
      if (typeof one !== 'string') return this.#own(new one())
      const column = resource.fields.find(({ wire }) => wire === one)
      const reference = references.find((other) => other.column === column)
      const isNumber = column?.kind === 'integer' || column?.kind === 'number'
      return {
        name: one,
        label: this.view.labelOf(one),
        numeric: column?.kind === 'binary' || (isNumber && !reference && !column?.serialize),
        sortBy: resource.sortable.get(one),
        column,
        reference,
      }
    })
  }

  #join(name: string, reference: Reference): JoinedTitles | null {
    let join = this.#joins.get(name)
    if (join === undefined) {
      const { resource } = this.view
      join = joinedTitles(
        this.view,
        reference,
        this.fields ?? resource.answer,
        `crud_title_${this.#joins.size}`
      )
      /* Before, it can't be told. */
      if (reference.view.resource.isLoaded) this.#joins.set(name, join)
    }
    return join
  }

  #fieldsRead(): Fields | undefined {
    const { view, site } = this
    const { resource, options, templates } = view
    const isOwn =
      typeof options.title === 'function' ||
      templates.list !== undefined ||
      site.templatesDirectory !== undefined ||
      this.columns.some(({ own }) => own)
    if (isOwn) return undefined
    const marks = [resource.softDelete?.flag, resource.softDelete?.timestamp, view.titleColumn]
    const wanted = new Set([...this.names, ...marks.map((column) => column?.wire)])
    return selectFields(
      resource,
      fieldNames(resource).filter((name) => wanted.has(name))
    )
  }

  #styled(): ColumnStyle[] {
    const title = this.view.titleColumn
    const named = this.columns.findIndex(({ column }) => column !== undefined && column === title)
    const lead = Math.max(0, named)
    return this.columns.map(({ numeric }, index) => {
      const isLead = index === lead
      return { style: (numeric ? ' number' : '') + (isLead ? ' lead' : ''), isLead }
    })
  }

  #own(own: ListColumn): TableColumn {
    const sortBy =
      own.sortBy === undefined ? undefined : this.view.resource.sortable.get(own.sortBy)
    return { name: own.name, label: own.label, numeric: own.numeric, sortBy, own }
  }
}

function valuesOf(items: Item[], name: string): unknown[] {
  return items.map((item) => item[name])
}

function titlesIn(
  rows: Joined['beside'],
  values: readonly unknown[],
  { titleIn }: JoinedTitles
): Titles {
  const titles: Titles = new Map()
  for (const [index, value] of values.entries()) {
    const title = titleIn(rows[index])
    if (title !== undefined) titles.set(String(value), title)
  }
  return titles
}

/** Values whose record can't be found, or not be seen, stay what they are. */
async function related(
  ctx: HttpContext,
  { view, target }: Reference,
  titles: Titles,
  values: unknown[],
  cells: ShownCell[]
): Promise<ShownCell[]> {
  const { key } = view.resource
  const isKey = target.isPrimary && !key.isComposite
  const known = isKey ? values.filter((value) => titles.has(String(value))) : []
  const mayUpdate = await mayEach(
    ctx,
    view,
    'update',
    [...new Set(known)].map((value) => [value])
  )
  return cells.map((cell, index) => {
    const title = titles.get(String(values[index]))
    if (title === undefined || cell.kind === 'null') return cell
    const href =
      isKey && mayUpdate([values[index]])
        ? view.url(`/update${key.toPath([values[index]])}`)
        : undefined
    return { ...textCell(title), ...(href && { href }) }
  })
}

/** Where there is nothing to be seen there is nothing to click on, either. */
function linkedCell(cell: ShownCell, title: string, href: string): ShownCell {
  const isEmpty = cell.kind === 'null' || isInvisible(cell.text)
  return isEmpty ? { kind: 'text', text: title, href } : { ...cell, href }
}
