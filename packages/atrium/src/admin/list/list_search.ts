import type { ModelView } from '../views/model_view.js'
import type { Site } from '../views/site.js'
import { cutText } from './cell.js'
import { ALL_COLUMNS } from './list_address.js'
import type { ListParameters } from './list_parameters.js'
import { searchableColumns } from './title_search.js'

/** The search field of a list: its columns, and the note about a search that is not possible. */
export class ListSearch {
  readonly #columns: Array<{ name: string; label: string }>

  /** @param labelOf  returns the label of a column by its API name */
  constructor(
    private readonly site: Site,
    view: ModelView,
    private readonly labelOf: (name: string) => string
  ) {
    this.#columns = searchableColumns(view).map(({ apiName: name }) => ({
      name,
      label: labelOf(name),
    }))
  }

  /** Returns the choices of the column; none if the list cannot be searched. */
  columns({ column }: ListParameters) {
    if (this.#columns.length === 0) return []
    const columns = this.#columns.map((one) => ({ ...one, selected: one.name === column?.apiName }))
    const isAll = columns.every(({ selected }) => !selected)
    return [
      { name: ALL_COLUMNS, label: this.site.text('list.search.all'), selected: isAll },
      ...columns,
    ]
  }

  /** Returns the label of the searched column; empty if all columns are searched. */
  label({ column }: ListParameters): string {
    return column ? this.labelOf(column.apiName) : ''
  }

  /** Returns the note about a search that is not possible; null if the search is possible. */
  note(parameters: ListParameters): string | null {
    if (!parameters.isUnsearchable) return null
    if (parameters.search === '' || parameters.condition) {
      return this.site.text('list.search.tooMuch', { text: cutText(parameters.q) })
    }
    return this.site.text('list.search.impossible', {
      text: cutText(parameters.search),
      label: this.label(parameters),
    })
  }

  /**
   * Returns the URL of the same search in all columns; null if the current search is possible, or a search in all
   * columns is not.
   */
  anywhere(parameters: ListParameters): string | null {
    const { search, condition } = parameters
    if (search === '' || condition || this.#columns.length === 0) return null
    const all = parameters.with({ column: null, search: '', q: search })
    return all.isUnsearchable ? null : all.url
  }
}
