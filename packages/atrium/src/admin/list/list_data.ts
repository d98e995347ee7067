import type { Item } from '#crud'
import type { MatchingOffer, BulkBar } from '../bulk/bulk_bar.js'
import type { ModelView } from '../views/model_view.js'
import type { EmptyState, FilterNote } from './empty_state.js'
import type { FilterBar } from './filters/filter_bar.js'
import type { ListParameters } from './list_parameters.js'
import type { Heading, Row } from './table_columns.js'
import type { Pager } from './pager.js'
import type { ViewsBar } from './saved_views/views_bar.js'

/**
 * Variables of the list templates. Names in snake case are those of the specification. [S34]
 */
export interface ListData extends Record<string, unknown> {
  items: Item[]
  model_name: string
  table_columns: string[]
  /** Null if the policy checks each record, and there are too many to count [P14] */
  total_items: number | null
  current_page: number
  rows_per_page: number
  selected_column: string | null
  primary_key_info: {
    /** Name of the first key column; `columns` contains all columns of a composite key */
    name: string
    type: string
    columns: Array<{ name: string; type: string }>
  }
  mount_path: string
  sort_column: string | null
  sort_order: 'asc' | 'desc' | null
  allowed_actions: string[]

  view: ModelView
  parameters: ListParameters
  headings: Heading[]
  /** True if it shows datetimes, whose zone is said once [R12] */
  hasTimes: boolean
  /** The order that a click with shift adds a column to */
  sorting: { by: string; order: string }
  rows: Row[]
  /** The rows as markup */
  rowsMarkup: string
  pager: Pager
  /** True if the records could not be read [S33] */
  failed: boolean
  /** Bulk bar; null if no bulk task is available */
  bulk: BulkBar | null
  /** Cells that are edited in place; null if there are none [L10] */
  cells: CellsOffer | null
  /** All records on all pages, if they can be selected together [L8] */
  matching: MatchingOffer | null
  /** Numbers of the first and last record shown, from 1 */
  range: { from: number; to: number }
  /** All columns first */
  searchable: Array<{ name: string; label: string; selected: boolean }>
  /** Text of the search form */
  searchText: string
  /** Reason why the search text can't be searched for, if any */
  unsearchable: string | null
  filterBar: FilterBar
  /** The views of the list and what can be done with them; columns; density [L5, L6] */
  views: ViewsBar
  /** Filters that filter nothing */
  filterNotes: FilterNote[]
  /** Message for a list without records */
  empty: EmptyState
  links: {
    create: string | null
    import: string | null
    /** Dialog of the export; null for who cannot, and where the list shows records that were not requested [D2] */
    export: string | null
    /** All records that match, for paper [L14] */
    print: string
    /** URL of the list without its search */
    all: string
    /** URL of the list without search and filters */
    unfiltered: string
    /** URL that searches all columns for a text that its column can't be searched for */
    anywhere: string | null
    rows: Array<{ rows: number; url: string }>
    /** Empty if the model has no soft deletion */
    deleted: Array<{ mode: string; url: string }>
  }
  /** Singular and plural of the model in a sentence */
  words: { one: string; many: string }
}

export interface CellsOffer {
  /** Address of a cell's editor, but for the record and the field */
  url: string
  /** By the names of their columns */
  fields: ReadonlyMap<string, unknown>
}
