/* The commands of the engine, in the form that `commands` of adonisrc.ts expects. */
import { ListLoader } from '@adonisjs/core/ace'
import { adminCommands } from '#admin/commands/main'
import { crudCommands } from '#crud/commands/main'
import { hostCommands } from '#host/commands/main'

const loader = new ListLoader([...crudCommands, ...adminCommands, ...hostCommands])

export const getMetaData: typeof loader.getMetaData = () => loader.getMetaData()
export const getCommand: typeof loader.getCommand = (metaData) => loader.getCommand(metaData)

/* For custom commands of the application */
export { ask, Command, CommandFailure } from '#crud/commands/command'
