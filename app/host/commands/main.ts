/*
 * The commands about the application as a whole, as adonisrc.ts wants them.
 */
import { ListLoader } from '@adonisjs/core/ace'
import Migrate from './migrate.js'

const loader = new ListLoader([Migrate])

export const getMetaData: typeof loader.getMetaData = () => loader.getMetaData()
export const getCommand: typeof loader.getCommand = (metaData) => loader.getCommand(metaData)
