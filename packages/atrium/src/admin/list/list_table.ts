import { setImmediate } from 'node:timers/promises'
import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'
import { keyOf } from '#base/items'
import type { Column } from '#base/columns/column'
import { fieldNames, selectFields, type Fields } from '#base/columns/fields'
import { mapInTurns, nextEventLoopTurn } from '#base/event_loop'
import type { Site } from '../views/site.js'
import type { ModelView } from '../views/model_view.js'
import { shownOf } from '../permissions/personal_view.js'
import { recordLinks } from '../http/record_links.js'
import { escaped } from '../text/plain_text.js'
import {
  followed,
  referencesOf,
  titlesIfReadable,
  type Reference,
} from '../relations/references.js'
import { isChoice } from '../forms/fields/choices.js'
import { widgetShow } from '../forms/fields/widgets/widget_cells.js'
import { isRelated, relatedColumnOf, type RelatedColumn } from '../views/related_columns.js'
import { chosenColumns } from './columns/column_choices.js'
import { relatedReader, relatedTitles } from './columns/related_items.js'
import { cellMaker, cutText, ownCell, valueCell, type ShownCell } from './cell.js'
import {
  isIdentifier,
  joinedTitles,
  type JoinedTitles,
  withUnits,
  type Titles,
  type Joins,
  NO_JOINS,
  type Joined,
  valuesOf,
  titlesIn,
  linkedCell,
  titledCells,
  type ColumnStyle,
  type Heading,
  type Row,
  type TableColumn,
} from './table_columns.js'
import type { ListColumn } from '../views/list_column.js'
import { shortened, type Summary } from './summaries/summaries.js'
import type { ListParameters } from './list_parameters.js'

/** Number of rows that are rendered before other requests are handled; it exceeds the maximum page size */
export const ROWS_A_TURN = 200

const UNSORTABLE = {
  sorted: undefined,
  url: undefined,
  also: undefined,
  place: undefined,
}

const WORDS = { asc: 'ascending', desc: 'descending' } as const

/** Maximum number of columns in a record's card on narrow screens */
const ON_CARDS = 4

/** The table of a list: columns and rows. */
export class ListTable {
  #columns: TableColumn[] | undefined
  #styles: ColumnStyle[] | undefined
  #fields: Fields | undefined
  #areFieldsKnown = false
  /* Cached joins, by column name and by the viewer's view of the referenced model */
  readonly #joins = new Map<string, WeakMap<ModelView, JoinedTitles | null>>()

  /** @param chosen  names of the table's columns; null for the default columns of the view */
  constructor(
    private readonly site: Site,
    private readonly view: ModelView,
    private readonly chosen: readonly string[] | null = null
  ) {}

  /**
   * Names of the columns, in order.
   */
  get names(): string[] {
    return this.columns.map(({ name }) => name)
  }

  /** The columns. Only available after the resource is loaded, which determines their types. */
  get columns(): readonly TableColumn[] {
    return (this.#columns ??= this.#resolved())
  }

  /**
   * Fields to read of each record: only those that the table needs. Undefined if custom code receives the records,
   * which must be complete then.
   */
  get fields(): Fields | undefined {
    if (!this.#areFieldsKnown) {
      this.#fields = this.#fieldsRead()
      this.#areFieldsKnown = true
    }
    return this.#fields
  }

  /**
   * Returns the joins for titles of referenced records. None if the database must sort the records first, as it would
   * look up the titles of all records.
   */
  async joins(ctx: HttpContext, { sorts }: ListParameters): Promise<Joins> {
    const { key } = this.view.resource
    if (key.isComposite || sorts[0].column !== key.columns[0]) return NO_JOINS
    const joins = new Map<string, JoinedTitles>()
    for (const { name, reference, related } of this.columns) {
      const seen = reference && !related && (await followed(ctx, reference))
      const join = seen && this.#join(name, seen)
      if (join) joins.set(name, join)
    }
    return joins
  }

  /** Formatting of the columns. The lead column is the title column if it is shown, otherwise the first column. */
  get styles(): readonly ColumnStyle[] {
    return (this.#styles ??= this.#styled())
  }

  /** Returns the label of a column in the search form. A reference is searched by the id of the referenced record. */
  searchLabel(apiName: string): string {
    const label = this.view.labelOf(apiName)
    const isReference = this.columns.some(({ name, reference }) => name === apiName && reference)
    return isReference ? this.site.text('list.byId', { label }) : label
  }

  headings(parameters: ListParameters): Heading[] {
    const { sorts } = parameters
    return this.columns.map((shown, index) => {
      const { name, label, numeric } = shown
      const sortBy = shown.related ? parameters.related?.sortable(name) : shown.sortBy
      const heading = { name, label, numeric, ...this.styles[index] }
      if (!sortBy) return { ...heading, ...UNSORTABLE }
      const place = sorts.findIndex(({ column }) => column === sortBy)
      const current = sorts[place]?.direction
      const order = current && WORDS[current]
      const sort = { column: sortBy, direction: current === 'asc' ? 'desc' : 'asc' } as const
      return {
        ...heading,
        sorted: place === 0 ? order : 'none',
        url: parameters.sortedUrl([sort]),
        also: place > 0 ? order : undefined,
        place: order && sorts.length > 1 ? this.#place(place + 1, order) : undefined,
      }
    })
  }

  /**
   * Returns the order to which a further sort column is added, as in the URL. The default order by key is left out,
   * as it is unique and columns after it would have no effect.
   */
  addedTo({ sorting, sorts }: ListParameters): { by: string; order: string } {
    const keys = this.view.resource.key.columns
    const stored =
      sorting.length > 0 ? sorting : sorts.filter(({ column }) => !keys.includes(column))
    return {
      by: stored.map(({ column }) => column.apiName).join(),
      order: stored.map(({ direction }) => direction).join(),
    }
  }

  #place(number: number, direction: 'ascending' | 'descending') {
    return { number, label: this.site.text(`list.sorted.${direction}`, { number }) }
  }

  /**
   * Returns the rows for items.
   *
   * @param items  items with their keys
   */
  async rows(
    ctx: HttpContext,
    items: Item[],
    parameters: ListParameters,
    { joins, extras }: Joined = { joins: NO_JOINS, extras: [] }
  ): Promise<Row[]> {
    const columns = await this.cells(ctx, items, { joins, extras })
    const linkTo = await recordLinks(
      ctx,
      this.view,
      items.map((item) => keyOf(item)!)
    )
    const lead = this.styles.findIndex(({ isLead }) => isLead)
    /* Translating once and inserting the titles is faster than translating each label. */
    const label = this.site.text('list.select', { title: '{title}' })
    return await mapInTurns(items, ROWS_A_TURN, (item, index) => {
      const value = keyOf(item)!
      const key = this.view.resource.key.toPath(value)
      const title = cutText(this.view.titleOf(item))
      const isDeleted = this.#isDeleted(item, parameters)
      const cells = columns.map((column) => column[index])
      const href = linkTo(value, isDeleted)
      if (href !== null && cells[lead]) cells[lead] = linkedCell(cells[lead], title, href)
      return {
        key: value.includes(null) ? '' : key.slice(1),
        title,
        label: label.replace('{title}', () => title),
        isDeleted,
        cells,
      }
    })
  }

  /** True if a column contains datetimes */
  get hasTimes(): boolean {
    return this.columns.some(({ column }) => column?.kind === 'datetime' && !column.serialize)
  }

  /**
   * Returns the cells of items by column, without links to the items themselves.
   *
   * @param items  items with their keys
   */
  async cells(
    ctx: HttpContext,
    items: Item[],
    { joins, extras }: Joined = { joins: NO_JOINS, extras: [] }
  ): Promise<ShownCell[][]> {
    const itemsOf = relatedReader(ctx, this.view, this.columns, items)
    const titles = this.columns.map((shown) => {
      const { reference, related, name } = shown
      if (!reference) return undefined
      if (related) return relatedTitles(ctx, related, reference, itemsOf(shown))
      const join = joins.get(name)
      const values = valuesOf(items, name)
      return join
        ? titlesIn(extras, values, join)
        : titlesIfReadable(ctx, this.view, reference, values)
    })
    /* Lets the queries for titles start before the cells are created. */
    if (titles.some((one) => one instanceof Promise)) await setImmediate()
    if (items.length <= ROWS_A_TURN) {
      return await Promise.all(
        this.columns.map((one, index) => this.#cells(ctx, one, itemsOf(one), titles[index]))
      )
    }
    const cells: ShownCell[][] = []
    for (const [index, one] of this.columns.entries()) {
      await nextEventLoopTurn()
      cells.push(await this.#cells(ctx, one, itemsOf(one), titles[index]))
    }
    return cells
  }

  async #cells(
    ctx: HttpContext,
    shown: TableColumn,
    given: Item[] | Promise<Item[]>,
    titles: Promise<Titles> | Titles | undefined
  ): Promise<ShownCell[]> {
    const text = this.site.text.bind(this.site)
    const items = await given
    const { own, column, reference, related: relation } = shown
    const view = relation?.view ?? this.view
    if (own) {
      const { resource } = this.view
      const values = await Promise.all(
        items.map((item) => shownOf(resource, item, (one) => own.value(one, ctx)))
      )
      return values.map((value) =>
        value === undefined ? valueCell(null, text) : ownCell(value, own.numeric)
      )
    }
    const values = valuesOf(items, relation ? relation.column.apiName : shown.name)
    if (!column) return values.map((value) => valueCell(value, text))
    const isGrouped = !isIdentifier(view, column)
    const show = widgetShow(view, column, text)
    const options = { isGrouped, isChoice: shown.isChoice, text, own: show }
    const cells = await mapInTurns(values, ROWS_A_TURN, cellMaker(column, values, options))
    if (reference && titles) return await titledCells(ctx, reference, await titles, values, cells)
    return show ? cells : cells.map((cell) => withUnits(view, column.apiName, cell))
  }

  #isDeleted(item: Item, { deleted }: ListParameters): boolean {
    const { softDelete } = this.view.resource
    if (!softDelete || deleted === 'exclude') return false
    if (deleted === 'only') return true
    return Boolean(
      softDelete.flag ? item[softDelete.flag.apiName] : item[softDelete.timestamp!.apiName]
    )
  }

  #resolved(): TableColumn[] {
    return chosenColumns(this.view, this.chosen).map((one) => {
      if (typeof one !== 'string') return this.#own(new one())
      if (isRelated(one)) return this.#related(one)
      const { resource } = this.view
      const column = resource.fields.find(({ apiName }) => apiName === one)
      const described = this.#described(this.view, one, column)
      return { ...described, sortBy: resource.sortable.get(one) }
    })
  }

  #related(name: string): TableColumn {
    const related = relatedColumnOf(this.view, name) as RelatedColumn<ModelView>
    return { ...this.#described(related.view, name, related.column), sortBy: undefined, related }
  }

  /** @param view  view of the model that has the column */
  #described(view: ModelView, name: string, column: Column | undefined) {
    const reference = referencesOf(this.site, view).find((other) => other.column === column)
    const isNumber = column?.kind === 'integer' || column?.kind === 'number'
    return {
      name,
      label: this.view.labelOf(name),
      numeric: column?.kind === 'binary' || (isNumber && !reference && !column?.serialize),
      column,
      reference,
      isChoice: column && !reference && isChoice(view, column),
    }
  }

  #join(name: string, reference: Reference): JoinedTitles | null {
    let joins = this.#joins.get(name)
    if (!joins) this.#joins.set(name, (joins = new WeakMap()))
    let join = joins.get(reference.view)
    if (join === undefined) {
      const { resource } = this.view
      join = joinedTitles(
        this.view,
        reference,
        this.fields ?? resource.responseFields,
        `crud_title_${this.#joins.size - 1}`
      )
      /* The join is cached only after the resource is loaded, as it may change until then. */
      if (reference.view.resource.isLoaded) joins.set(reference.view, join)
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
    const marks = [resource.softDelete?.flag, resource.softDelete?.timestamp, ...view.titleColumns]
    const links = this.columns.map(({ related }) => related?.steps[0].link)
    const read = [...marks, ...links].map((column) => column?.apiName)
    const wanted = new Set([...this.names, ...read])
    return selectFields(
      resource,
      fieldNames(resource).filter((name) => wanted.has(name))
    )
  }

  #styled(): ColumnStyle[] {
    const title = this.view.titleColumn
    const named = this.columns.findIndex(({ column }) => column !== undefined && column === title)
    const lead = Math.max(0, named)
    const onCards = this.columns.filter((_, index) => index !== lead).slice(0, ON_CARDS - 1)
    return this.columns.map((column, index) => {
      const isLead = index === lead
      return {
        style: (column.numeric ? ' number' : '') + (isLead ? ' lead' : ''),
        isLead,
        card: onCards.includes(column) ? ` data-label="${escaped(column.label)}"` : '',
      }
    })
  }

  #own(own: ListColumn): TableColumn {
    const sortBy =
      own.sortBy === undefined ? undefined : this.view.resource.sortable.get(own.sortBy)
    return { name: own.name, label: own.label, numeric: own.numeric, sortBy, own }
  }
}

/** Formats a figure like the cells of its column. */
export function figureCell(
  site: Pick<Site, 'text'>,
  view: ModelView,
  { column, of }: Summary,
  value: unknown
): ShownCell {
  const text = site.text.bind(site)
  const own = widgetShow(view, column, text)
  const figure = of === 'avg' && typeof value === 'string' ? shortened(value) : value
  const isGrouped = !isIdentifier(view, column)
  const cell = cellMaker(column, [figure], { isGrouped, text, own })(figure)
  return own ? cell : withUnits(view, column.apiName, cell)
}
