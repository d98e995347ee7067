import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { room } from '../../room.js'

/** The controllers of a model's pages, each loaded for the first request of any model that needs it [K9] */
const CONTROLLERS = {
  list: room(
    () => import('../../list/list_controller.js'),
    ({ ListController }) => ListController
  ),
  columns: room(
    () => import('../../list/columns/columns_controller.js'),
    ({ ColumnsController }) => ColumnsController
  ),
  views: room(
    () => import('../../list/saved_views/views_controller.js'),
    ({ ViewsController }) => ViewsController
  ),
  create: room(
    () => import('../../forms/create_controller.js'),
    ({ CreateController }) => CreateController
  ),
  update: room(
    () => import('../../forms/update_controller.js'),
    ({ UpdateController }) => UpdateController
  ),
  files: room(
    () => import('../../forms/files/files_controller.js'),
    ({ FilesController }) => FilesController
  ),
  choices: room(
    () => import('../../forms/fields/field_controllers.js'),
    ({ ChoicesController }) => ChoicesController
  ),
  preview: room(
    () => import('../../forms/fields/field_controllers.js'),
    ({ PreviewController }) => PreviewController
  ),
  bulk: room(
    () => import('../../bulk/bulk_controller.js'),
    ({ BulkController }) => BulkController
  ),
  forms: room(
    () => import('../../bulk/bulk_controller.js'),
    ({ BulkFormController }) => BulkFormController
  ),
  edit: room(
    () => import('../../bulk/edit/edit_controller.js'),
    ({ EditController }) => EditController
  ),
  filter: room(
    () => import('../../list/filters/filter_controller.js'),
    ({ FilterController }) => FilterController
  ),
  facets: room(
    () => import('../../list/filters/filter_controller.js'),
    ({ FacetsController }) => FacetsController
  ),
  print: room(
    () => import('../../list/list_controller.js'),
    ({ PrintController }) => PrintController
  ),
  cells: room(
    () => import('../../list/cells/cells_controller.js'),
    ({ CellsController }) => CellsController
  ),
  export: room(
    () => import('../../export/export_controller.js'),
    ({ ExportController }) => ExportController
  ),
  record: room(
    () => import('../../record/record_controller.js'),
    ({ RecordController }) => RecordController
  ),
  related: room(
    () => import('../../record/record_controller.js'),
    ({ RelatedController }) => RelatedController
  ),
  history: room(
    () => import('../../events/history/history_controller.js'),
    ({ HistoryController }) => HistoryController
  ),
}

type Name = keyof typeof CONTROLLERS
type Controller<N extends Name> = InstanceType<Awaited<ReturnType<(typeof CONTROLLERS)[N]>>>

export type Show = (pages: ModelPages, ctx: HttpContext) => unknown

/**
 * The pages of a view, as it is for the person who asks.
 */
export class ModelPages {
  readonly #made = new Map<Name, unknown>()

  constructor(
    private readonly site: AdminSite,
    readonly view: ModelView
  ) {}

  async of<N extends Name>(name: N): Promise<Controller<N>> {
    const Class = (await CONTROLLERS[name]()) as new (site: AdminSite, view: ModelView) => unknown
    if (!this.#made.has(name)) this.#made.set(name, new Class(this.site, this.view))
    return this.#made.get(name) as Controller<N>
  }
}

/**
 * A page of one controller, as in `on('list', (page, ctx) => page.content(ctx))`.
 */
export function on<N extends Name>(
  name: N,
  show: (page: Controller<N>, ctx: HttpContext) => unknown
): Show {
  return async (pages, ctx) => await show(await pages.of(name), ctx)
}
