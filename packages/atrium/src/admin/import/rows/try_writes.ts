import type { LucidCrud } from '#crud'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { fieldsReadOnly } from '#base/http/problems'
import { inTransaction } from '#base/database/transaction'
import type { AdminSite } from '../../admin_site.js'
import type { ImportSpec } from '../import_spec.js'
import { addFault, isFaulty, type Draft } from './draft.js'
import { noteError } from './row_faults.js'

/** Ends the transaction of a trial. */
class Undone extends Error {}

/**
 * Decides about rows as their creates and updates would: permissions, policy, references, own preparation of values, and
 * whether the importer would still reach the records. Nothing is written, and the model's hooks do not run. [D3]
 */
export async function tryWrites(
  site: AdminSite,
  spec: ImportSpec,
  drafts: readonly Draft[],
  client: QueryClientContract
): Promise<void> {
  const { crud } = spec.importer.view
  if (!crud.hasOwnPreparation) return await tryAll(site, spec, drafts, client)
  /* Own code may write with the transaction that it is given. */
  try {
    await inTransaction(spec.importer.view.client(), async (transaction) => {
      await tryAll(site, spec, drafts, transaction)
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
}

async function tryAll(
  site: AdminSite,
  { importer }: ImportSpec,
  drafts: readonly Draft[],
  client: QueryClientContract
): Promise<void> {
  const { actor, origin, view } = importer
  const options = { client, actor, origin }
  for (const operation of ['create', 'update'] as const) {
    const kind = operation === 'create' ? 'new' : 'changed'
    const unstored: Array<Parameters<LucidCrud['judgeUnstored']>[1][number] & { draft: Draft }> = []
    for (const draft of drafts) {
      if (isFaulty(draft) || draft.kind !== kind) continue
      try {
        const { values } = draft
        if (draft.record) await view.crud.tryUpdate(draft.record, values, options)
        const record = draft.record ?? (await view.crud.tryCreate(values, options))
        unstored.push({ draft, record, sent: [...draft.changes.keys()] })
      } catch (error) {
        noteError(site, view, draft, error)
      }
    }
    const verdicts = await view.crud.judgeUnstored(operation, unstored, options)
    verdicts.forEach(({ isRefused, readOnly }, index) => {
      const { draft } = unstored[index]
      if (readOnly.length > 0) noteError(site, view, draft, fieldsReadOnly([...readOnly]))
      else if (isRefused) addFault(draft, null, site.text('import.faults.outOfReach'))
    })
  }
}
