import { checkLibrary as checkBodyParser } from './body_parser.js'
import { checkLibrary as checkTransactions } from './knex_transaction.js'
import { checkLibrary as checkDirtyData } from './lucid_dirty_data.js'
import { checkLibrary as checkRecordQueries } from './lucid_record_queries.js'
import { checkLibrary as checkRecordSteps } from './lucid_record_steps.js'
import { checkLibrary as checkRelations } from './lucid_relations.js'
import { checkLibrary as checkTransactionEnd } from './lucid_transaction_end.js'
import { checkLibrary as checkEarlyResponse } from './node_early_response.js'

/**
 * Checks at boot that the libraries are as the files in this folder expect them. Files that are not listed here run
 * their check when they are installed at boot.
 *
 * @throws Exception  with code `E_RUNTIME`, the library, its version and the file to adapt
 */
export function checkLibraries(): void {
  for (const check of [
    checkBodyParser,
    checkDirtyData,
    checkEarlyResponse,
    checkRecordQueries,
    checkRecordSteps,
    checkRelations,
    checkTransactionEnd,
    checkTransactions,
  ]) {
    check()
  }
}
