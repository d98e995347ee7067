import type { HttpContext } from '@adonisjs/core/http'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { ValueError, type EndpointCreator, type Operation } from '#crud'
import type { EndpointMount } from '#crud/endpoints/endpoint_creator'
import { creatorOf } from '#crud/router'
import type { CrudRouterOptions } from '#crud/types'
import { adminActor } from '../../authentication/admin_actor.js'
import { NotAllowed } from '../errors.js'
import type { ModelView } from '../../model_view.js'
import type { Action } from '../../view_options.js'

/* Deleting for good goes with deleting, whatever the deleteSchema says. [B14, A24] */
const OPERATIONS: Record<Action, Operation[]> = {
  view: ['read', 'read_multi'],
  create: ['create'],
  update: ['update'],
  delete: ['delete', 'db_delete'],
}

/**
 * The endpoints of a view, to lie below its `/crud`. They are those of the model in all but who may
 * call them, which of them there are, and where. [S61, P13]
 *
 * @throws ValueError  when the option `endpointCreator` can't be right
 */
export function crudEndpoints(view: ModelView): EndpointCreator {
  const { model, resource, crud, crudOptions } = view
  const Creator = creatorOf({ ...crudOptions, model })
  const mount: EndpointMount = {
    path: view.url('/crud'),
    resource,
    crud,
    operations: [...view.allowedActions].flatMap((action) => OPERATIONS[action]),
    authorizer: {
      async authorize(ctx, { model: asked }) {
        const actor = adminActor(ctx)
        const isAllowed = asked === model ? view.admits(ctx) : await isVisible(view, asked, ctx)
        if (!isAllowed) throw new NotAllowed()
        return actor
      },
    },
    session: () => view.client(),
  }
  const creator = new Creator(sharedOptions(view), mount)
  if (creator.resource !== resource) {
    throw new ValueError(
      `${view.name}: the constructor of ${Creator.name} does not hand on what it is given, so its endpoints would lie beside the admin site; write constructor(...given) { super(...given) }`
    )
  }
  creator.planRoutes()
  return creator
}

/** Records of another model can be included where the viewer may see them by themselves. */
async function isVisible(
  { adminSite }: ModelView,
  model: LucidModel,
  ctx: HttpContext
): Promise<boolean> {
  const other = [...(adminSite?.models.values() ?? [])].find((one) => one.model === model)
  return (await other?.isVisibleTo(ctx)) ?? false
}

/** Not what says where the model's own endpoints lie, which there are, and who may call them. */
function sharedOptions({ model, crudOptions }: ModelView): CrudRouterOptions {
  const {
    path,
    session,
    includedMethods,
    deletedMethods,
    endpointNames,
    endpointCreator,
    middleware,
    access,
    ...shared
  } = crudOptions
  return { ...shared, model }
}
