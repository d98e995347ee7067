/* Runs `node ace` with the models of the benchmarks. */
import { prettyPrintError } from '@adonisjs/core'
import { createIgnitor } from './helpers/ignitor.js'
import { useOwnModels } from './helpers/own_models.js'

createIgnitor(useOwnModels)
  .ace()
  .handle(process.argv.splice(2))
  .catch((error) => {
    process.exitCode = 1
    prettyPrintError(error)
  })
