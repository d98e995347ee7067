import type { HttpContext } from '@adonisjs/core/http'
import { systemActor, type Actor } from '#crud'
import type { Origin } from '#base/types'
import { adminActor, adminOrigin } from '../authentication/admin_actor.js'
import { NotAllowed } from '../errors.js'
import type { ModelView } from '../model_view.js'
import { may } from '../permissions/may.js'
import { followed, type Reference } from '../relations/references.js'
import { assertImport } from './may_import.js'

/**
 * For whom rows are imported, and what they may do. [D3, U4]
 */
export interface Importer {
  /** The view as they may use it */
  view: ModelView
  actor: Actor
  origin: Origin | undefined
  mayCreate: boolean
  mayUpdate: boolean
  /** A reference as they may follow it; null where they may not see what it refers to */
  follow(reference: Reference): Promise<Reference | null>
}

/**
 * The signed-in user, with the permissions that they have now.
 *
 * @throws NotAllowed
 */
export async function importerOf(ctx: HttpContext, { base }: ModelView): Promise<Importer> {
  await assertImport(ctx, base)
  const view = await base.for(ctx)
  if (view.isWithheld) throw new NotAllowed()
  if (!view.resource.isLoaded) await view.resource.load(view.client())
  return {
    view,
    actor: adminActor(ctx),
    origin: adminOrigin(ctx),
    mayCreate: await may(ctx, view, 'create'),
    mayUpdate: await may(ctx, view, 'update'),
    follow: (reference) => followed(ctx, reference),
  }
}

/**
 * The operator at a console, whom nothing restricts.
 *
 * @param name  of the command, for the log
 */
export async function operator(view: ModelView, name: string): Promise<Importer> {
  if (!view.resource.isLoaded) await view.resource.load(view.client())
  return {
    view,
    actor: systemActor(name),
    origin: undefined,
    mayCreate: true,
    mayUpdate: true,
    follow: async (reference) => reference,
  }
}
