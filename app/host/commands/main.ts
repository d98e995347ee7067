/* The commands about the application as a whole, in the form that adonisrc.ts expects. */
import { ListLoader } from '@adonisjs/core/ace'
import Doctor from './doctor.js'
import MakeMigration from './make_migration.js'
import Migrate from './migrate.js'
import Version from './version.js'

const loader = new ListLoader([Doctor, MakeMigration, Migrate, Version])

export const getMetaData: typeof loader.getMetaData = () => loader.getMetaData()
export const getCommand: typeof loader.getCommand = (metaData) => loader.getCommand(metaData)
