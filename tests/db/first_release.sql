BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0043');
CREATE TABLE annotation (
	id INTEGER NOT NULL, 
	public_id VARCHAR NOT NULL, 
	project_id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	stage VARCHAR(32) NOT NULL, 
	dimension VARCHAR NOT NULL, 
	item_id INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	prediction_id INTEGER, 
	submit_key VARCHAR NOT NULL, 
	answers JSON NOT NULL, 
	reasons JSON NOT NULL, 
	note TEXT NOT NULL, 
	seconds FLOAT, 
	supersedes_id INTEGER, 
	schema_version_id INTEGER NOT NULL, 
	schema_hash VARCHAR NOT NULL, 
	guideline_hash VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	weight FLOAT, 
	purpose VARCHAR(32) DEFAULT 'live' NOT NULL, 
	shown JSON, schema_change INTEGER, 
	CONSTRAINT pk_annotation PRIMARY KEY (id), 
	CONSTRAINT fk_annotation_item_id_revision FOREIGN KEY(item_id, revision) REFERENCES revision (item_id, number), 
	CONSTRAINT uq_annotation_person_id_submit_key UNIQUE (person_id, submit_key), 
	CONSTRAINT uq_annotation_public_id UNIQUE (public_id), 
	CONSTRAINT uq_annotation_supersedes_id UNIQUE (supersedes_id), 
	CONSTRAINT fk_annotation_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_annotation_task_id FOREIGN KEY(task_id) REFERENCES task (id), 
	CONSTRAINT fk_annotation_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_annotation_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_annotation_prediction_id FOREIGN KEY(prediction_id) REFERENCES prediction (id), 
	CONSTRAINT fk_annotation_supersedes_id FOREIGN KEY(supersedes_id) REFERENCES annotation (id), 
	CONSTRAINT fk_annotation_schema_version_id FOREIGN KEY(schema_version_id) REFERENCES schema_version (id)
);
INSERT INTO "annotation" VALUES(1,'{}',1,1,1,'{}','{}',1,1,1,'{}','{}','{}','{}',0.5,1,1,'{}','{}','2026-01-01 00:00:00.000000',0.5,'{}','{}',1);
CREATE TABLE aside (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	stage VARCHAR(32) NOT NULL, 
	task_id INTEGER NOT NULL, 
	unit VARCHAR NOT NULL, 
	released BOOLEAN NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_aside PRIMARY KEY (id), 
	CONSTRAINT uq_aside_person_id_unit UNIQUE (person_id, unit), 
	CONSTRAINT fk_aside_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_aside_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_aside_task_id FOREIGN KEY(task_id) REFERENCES task (id)
);
INSERT INTO "aside" VALUES(1,1,1,'{}',1,'{}',1,'2026-01-01 00:00:00.000000');
CREATE TABLE asset (
	id INTEGER NOT NULL, 
	public_id VARCHAR NOT NULL, 
	project_id INTEGER NOT NULL, 
	sha256 VARCHAR, 
	name VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	source_id INTEGER, 
	dimension VARCHAR, 
	in_pool BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, group_name VARCHAR, role VARCHAR, place INTEGER, dimension_given VARCHAR, dimension_version INTEGER, proposal JSON, 
	CONSTRAINT pk_asset PRIMARY KEY (id), 
	CONSTRAINT uq_asset_public_id UNIQUE (public_id), 
	CONSTRAINT fk_asset_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_asset_sha256 FOREIGN KEY(sha256) REFERENCES media_object (sha256), 
	CONSTRAINT fk_asset_source_id FOREIGN KEY(source_id) REFERENCES source (id)
);
INSERT INTO "asset" VALUES(1,'{}',1,'{}','{}','{}',1,'{}',1,'2026-01-01 00:00:00.000000','{}','{}',1,'{}',1,'{}');
CREATE TABLE attempt (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	worker_id INTEGER NOT NULL, 
	unit_id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	outcome VARCHAR(32) DEFAULT 'failed' NOT NULL, 
	final BOOLEAN NOT NULL, 
	text TEXT NOT NULL, 
	finish_reason VARCHAR, 
	tokens_in INTEGER, 
	tokens_out INTEGER, 
	seconds FLOAT, 
	waited FLOAT NOT NULL, 
	status INTEGER, 
	error TEXT NOT NULL, 
	request_id VARCHAR, 
	prompt_hash VARCHAR NOT NULL, 
	image_hashes JSON NOT NULL, 
	cost FLOAT, 
	detail JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_attempt PRIMARY KEY (id), 
	CONSTRAINT uq_attempt_run_id_unit_id_number UNIQUE (run_id, unit_id, number), 
	CONSTRAINT fk_attempt_run_id FOREIGN KEY(run_id) REFERENCES run (id), 
	CONSTRAINT fk_attempt_worker_id FOREIGN KEY(worker_id) REFERENCES run_worker (id), 
	CONSTRAINT fk_attempt_item_id FOREIGN KEY(item_id) REFERENCES item (id)
);
INSERT INTO "attempt" VALUES(1,1,1,1,1,1,'{}',1,'{}','{}',1,1,0.5,0.5,1,'{}','{}','{}','{}',0.5,'{}','2026-01-01 00:00:00.000000');
CREATE TABLE bridge (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	stages JSON NOT NULL, 
	ahead INTEGER DEFAULT '3' NOT NULL, 
	hold_hours FLOAT DEFAULT '8' NOT NULL, 
	stay BOOLEAN DEFAULT 0 NOT NULL, 
	pulled_at DATETIME, 
	pushed_at DATETIME, 
	woken_at DATETIME, 
	said TEXT NOT NULL, 
	busy_by VARCHAR, 
	busy_until DATETIME, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_bridge PRIMARY KEY (id), 
	CONSTRAINT uq_bridge_project_id_address UNIQUE (project_id, address), 
	CONSTRAINT fk_bridge_project_id FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "bridge" VALUES(1,1,'{}','{}',1,0.5,1,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','{}','{}','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE bridge_answer (
	id INTEGER NOT NULL, 
	bridge_id INTEGER NOT NULL, 
	bridge_task_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	outside_annotation INTEGER NOT NULL, 
	outside_user INTEGER, 
	updated VARCHAR NOT NULL, 
	outcome VARCHAR(32) DEFAULT 'stored' NOT NULL, 
	why TEXT NOT NULL, 
	raw JSON NOT NULL, 
	annotation_id INTEGER, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_bridge_answer PRIMARY KEY (id), 
	CONSTRAINT uq_bridge_answer_once UNIQUE (bridge_task_id, outside_annotation, updated, outcome), 
	CONSTRAINT fk_bridge_answer_bridge_id FOREIGN KEY(bridge_id) REFERENCES bridge (id), 
	CONSTRAINT fk_bridge_answer_bridge_task_id FOREIGN KEY(bridge_task_id) REFERENCES bridge_task (id), 
	CONSTRAINT fk_bridge_answer_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_bridge_answer_annotation_id FOREIGN KEY(annotation_id) REFERENCES annotation (id)
);
INSERT INTO "bridge_answer" VALUES(1,1,1,1,1,1,'{}','{}','{}','{}',1,'2026-01-01 00:00:00.000000');
CREATE TABLE bridge_person (
	id INTEGER NOT NULL, 
	bridge_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	email VARCHAR NOT NULL, 
	outside_user INTEGER, 
	why TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_bridge_person PRIMARY KEY (id), 
	CONSTRAINT uq_bridge_person_bridge_id_email UNIQUE (bridge_id, email), 
	CONSTRAINT uq_bridge_person_bridge_id_person_id UNIQUE (bridge_id, person_id), 
	CONSTRAINT fk_bridge_person_bridge_id FOREIGN KEY(bridge_id) REFERENCES bridge (id), 
	CONSTRAINT fk_bridge_person_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "bridge_person" VALUES(1,1,1,'{}',1,'{}','2026-01-01 00:00:00.000000');
CREATE TABLE bridge_project (
	id INTEGER NOT NULL, 
	bridge_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	stage VARCHAR(32) NOT NULL, 
	labeling_hash VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	outside_user INTEGER NOT NULL, 
	outside_id INTEGER, 
	strangers INTEGER DEFAULT '0' NOT NULL, 
	created_at DATETIME NOT NULL, 
	removed_at DATETIME, 
	CONSTRAINT pk_bridge_project PRIMARY KEY (id), 
	CONSTRAINT uq_bridge_project_key UNIQUE ("key"), 
	CONSTRAINT fk_bridge_project_bridge_id FOREIGN KEY(bridge_id) REFERENCES bridge (id), 
	CONSTRAINT fk_bridge_project_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "bridge_project" VALUES(1,1,1,'{}','{}','{}',1,1,1,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE bridge_task (
	id INTEGER NOT NULL, 
	bridge_project_id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	state VARCHAR(32) DEFAULT 'sending' NOT NULL, 
	says TEXT NOT NULL, 
	suggestion JSON, 
	outside_id INTEGER, 
	guideline VARCHAR NOT NULL, 
	revision INTEGER, 
	why TEXT NOT NULL, 
	annotation_id INTEGER, 
	created_at DATETIME NOT NULL, 
	sent_at DATETIME, 
	ended_at DATETIME, 
	gone_at DATETIME, 
	CONSTRAINT pk_bridge_task PRIMARY KEY (id), 
	CONSTRAINT uq_bridge_task_key UNIQUE ("key"), 
	CONSTRAINT fk_bridge_task_bridge_project_id FOREIGN KEY(bridge_project_id) REFERENCES bridge_project (id), 
	CONSTRAINT fk_bridge_task_task_id FOREIGN KEY(task_id) REFERENCES task (id), 
	CONSTRAINT fk_bridge_task_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_bridge_task_annotation_id FOREIGN KEY(annotation_id) REFERENCES annotation (id)
);
INSERT INTO "bridge_task" VALUES(1,1,1,1,'{}',1,'{}','{}','{}',1,'{}',1,'{}',1,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE candidate (
	asset_id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	source_id INTEGER, 
	state VARCHAR(32) DEFAULT 'waiting' NOT NULL, 
	sharpness FLOAT, 
	look BIGINT, 
	person_id INTEGER, 
	lease_until DATETIME, 
	group_id INTEGER, 
	decision_id INTEGER, 
	CONSTRAINT pk_candidate PRIMARY KEY (asset_id), 
	CONSTRAINT fk_candidate_asset_id FOREIGN KEY(asset_id) REFERENCES asset (id), 
	CONSTRAINT fk_candidate_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_candidate_source_id FOREIGN KEY(source_id) REFERENCES source (id), 
	CONSTRAINT fk_candidate_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "candidate" VALUES(1,1,1,'{}',0.5,1,1,'2026-01-01 00:00:00.000000',1,1);
CREATE TABLE cause_answer (
	annotation_id INTEGER NOT NULL, 
	guideline_version_id INTEGER NOT NULL, 
	why TEXT NOT NULL, 
	by_id INTEGER, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_cause_answer PRIMARY KEY (annotation_id), 
	CONSTRAINT fk_cause_answer_annotation_id FOREIGN KEY(annotation_id) REFERENCES annotation (id), 
	CONSTRAINT fk_cause_answer_guideline_version_id FOREIGN KEY(guideline_version_id) REFERENCES guideline_version (id), 
	CONSTRAINT fk_cause_answer_by_id FOREIGN KEY(by_id) REFERENCES person (id)
);
INSERT INTO "cause_answer" VALUES(1,1,'{}',1,'2026-01-01 00:00:00.000000');
CREATE TABLE comment (
	id INTEGER NOT NULL, 
	public_id VARCHAR NOT NULL, 
	project_id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	reply_to_id INTEGER, 
	submit_key VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	early BOOLEAN DEFAULT 0 NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_comment PRIMARY KEY (id), 
	CONSTRAINT uq_comment_person_id_submit_key UNIQUE (person_id, submit_key), 
	CONSTRAINT uq_comment_public_id UNIQUE (public_id), 
	CONSTRAINT fk_comment_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_comment_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_comment_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_comment_reply_to_id FOREIGN KEY(reply_to_id) REFERENCES comment (id)
);
INSERT INTO "comment" VALUES(1,'{}',1,1,1,1,'{}','{}',1,'2026-01-01 00:00:00.000000');
CREATE TABLE comment_for (
	comment_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	read_at DATETIME, 
	CONSTRAINT pk_comment_for PRIMARY KEY (comment_id, person_id), 
	CONSTRAINT fk_comment_for_comment_id FOREIGN KEY(comment_id) REFERENCES comment (id), 
	CONSTRAINT fk_comment_for_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "comment_for" VALUES(1,1,'2026-01-01 00:00:00.000000');
CREATE TABLE daily_goal (
	person_id INTEGER NOT NULL, 
	tasks INTEGER NOT NULL, 
	set_at DATETIME NOT NULL, 
	CONSTRAINT pk_daily_goal PRIMARY KEY (person_id), 
	CONSTRAINT fk_daily_goal_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "daily_goal" VALUES(1,1,'2026-01-01 00:00:00.000000');
CREATE TABLE draft (
	id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	content JSON NOT NULL, 
	lost BOOLEAN NOT NULL, 
	saved_at DATETIME NOT NULL, 
	put_away_at DATETIME, 
	CONSTRAINT pk_draft PRIMARY KEY (id), 
	CONSTRAINT uq_draft_task_id_person_id UNIQUE (task_id, person_id), 
	CONSTRAINT fk_draft_task_id FOREIGN KEY(task_id) REFERENCES task (id), 
	CONSTRAINT fk_draft_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "draft" VALUES(1,1,1,1,'{}',1,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE entry_budget (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	entries INTEGER, 
	days INTEGER, 
	by_id INTEGER, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_entry_budget PRIMARY KEY (id), 
	CONSTRAINT fk_entry_budget_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_entry_budget_by_id FOREIGN KEY(by_id) REFERENCES person (id), 
	CONSTRAINT uq_entry_budget_project_id_number UNIQUE (project_id, number)
);
INSERT INTO "entry_budget" VALUES(1,1,1,1,1,1,'2026-01-01 00:00:00.000000');
CREATE TABLE event (
	id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	kind VARCHAR NOT NULL, 
	project_id INTEGER, 
	person_id INTEGER, 
	item_id INTEGER, 
	task_id INTEGER, 
	data JSON NOT NULL, 
	origin VARCHAR, 
	CONSTRAINT pk_event PRIMARY KEY (id), 
	CONSTRAINT fk_event_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_event_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_event_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_event_task_id FOREIGN KEY(task_id) REFERENCES task (id)
);
INSERT INTO "event" VALUES(1,'2026-01-01 00:00:00.000000','{}',1,1,1,1,'{}','{}');
CREATE TABLE exposure (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	item_id INTEGER, 
	person_id INTEGER NOT NULL, 
	task_id INTEGER, 
	asset_id INTEGER, 
	shape_id INTEGER NOT NULL, 
	route VARCHAR(32) NOT NULL, 
	stage VARCHAR NOT NULL, 
	revision INTEGER, 
	sha256 VARCHAR NOT NULL, 
	bytes INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_exposure PRIMARY KEY (id), 
	CONSTRAINT fk_exposure_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_exposure_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_exposure_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "exposure" VALUES(1,1,1,1,1,1,1,'{}','{}',1,'{}',1,'2026-01-01 00:00:00.000000');
CREATE TABLE exposure_shape (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	hash VARCHAR NOT NULL, 
	schema_version_id INTEGER NOT NULL, 
	told JSON NOT NULL, 
	CONSTRAINT pk_exposure_shape PRIMARY KEY (id), 
	CONSTRAINT fk_exposure_shape_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_exposure_shape_schema_version_id FOREIGN KEY(schema_version_id) REFERENCES schema_version (id), 
	CONSTRAINT uq_exposure_shape_project_id_hash UNIQUE (project_id, hash)
);
INSERT INTO "exposure_shape" VALUES(1,1,'{}',1,'{}');
CREATE TABLE failed_login (
	id INTEGER NOT NULL, 
	login VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_failed_login PRIMARY KEY (id)
);
INSERT INTO "failed_login" VALUES(1,'{}','2026-01-01 00:00:00.000000');
CREATE TABLE file_rater (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	is_person BOOLEAN NOT NULL, 
	CONSTRAINT pk_file_rater PRIMARY KEY (id), 
	CONSTRAINT uq_file_rater_project_id_name UNIQUE (project_id, name), 
	CONSTRAINT fk_file_rater_project_id FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "file_rater" VALUES(1,1,'{}',1);
CREATE TABLE gold (
	id INTEGER NOT NULL, 
	public_id VARCHAR NOT NULL, 
	project_id INTEGER NOT NULL, 
	stage VARCHAR(32) NOT NULL, 
	item_id INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	prediction_id INTEGER, 
	dimension VARCHAR NOT NULL, 
	answers JSON NOT NULL, 
	made_by_id INTEGER, 
	created_at DATETIME NOT NULL, 
	withdrawn_at DATETIME, 
	why VARCHAR DEFAULT '' NOT NULL, schema_version_id INTEGER, 
	CONSTRAINT pk_gold PRIMARY KEY (id), 
	CONSTRAINT uq_gold_public_id UNIQUE (public_id), 
	CONSTRAINT fk_gold_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_gold_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_gold_prediction_id FOREIGN KEY(prediction_id) REFERENCES prediction (id), 
	CONSTRAINT fk_gold_made_by_id FOREIGN KEY(made_by_id) REFERENCES person (id)
);
INSERT INTO "gold" VALUES(1,'{}',1,'{}',1,1,1,'{}','{}',1,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','{}',1);
CREATE TABLE gold_pardon (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	stage VARCHAR(32) NOT NULL, 
	person_id INTEGER NOT NULL, 
	by_id INTEGER, 
	why VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_gold_pardon PRIMARY KEY (id), 
	CONSTRAINT fk_gold_pardon_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_gold_pardon_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_gold_pardon_by_id FOREIGN KEY(by_id) REFERENCES person (id)
);
INSERT INTO "gold_pardon" VALUES(1,1,'{}',1,1,'{}','2026-01-01 00:00:00.000000');
CREATE TABLE guideline_seen (
	project_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	seen_at DATETIME NOT NULL, 
	CONSTRAINT pk_guideline_seen PRIMARY KEY (project_id, person_id), 
	CONSTRAINT fk_guideline_seen_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_guideline_seen_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "guideline_seen" VALUES(1,1,1,'2026-01-01 00:00:00.000000');
CREATE TABLE guideline_version (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	hash VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	why TEXT NOT NULL, 
	by_id INTEGER, 
	created_at DATETIME NOT NULL, 
	requalify BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_guideline_version PRIMARY KEY (id), 
	CONSTRAINT uq_guideline_version_project_id_hash UNIQUE (project_id, hash), 
	CONSTRAINT uq_guideline_version_project_id_number UNIQUE (project_id, number), 
	CONSTRAINT fk_guideline_version_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_guideline_version_by_id FOREIGN KEY(by_id) REFERENCES person (id)
);
INSERT INTO "guideline_version" VALUES(1,1,1,'{}','{}','{}',1,'2026-01-01 00:00:00.000000',1);
CREATE TABLE import_file (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	path VARCHAR NOT NULL, 
	format VARCHAR NOT NULL, 
	head TEXT NOT NULL, 
	tail TEXT NOT NULL, 
	meta JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_import_file PRIMARY KEY (id), 
	CONSTRAINT uq_import_file_project_id_path UNIQUE (project_id, path), 
	CONSTRAINT fk_import_file_project_id FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "import_file" VALUES(1,1,'{}','{}','{}','{}','{}','2026-01-01 00:00:00.000000');
CREATE TABLE imported_rating (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	stage VARCHAR(32) NOT NULL, 
	unit VARCHAR NOT NULL, 
	rater VARCHAR NOT NULL, 
	criterion VARCHAR NOT NULL, 
	value JSON, 
	dimension VARCHAR, 
	created_at DATETIME NOT NULL, schema_version_id INTEGER, 
	CONSTRAINT pk_imported_rating PRIMARY KEY (id), 
	CONSTRAINT uq_imported_rating_project_id_stage_unit_rater_criterion UNIQUE (project_id, stage, unit, rater, criterion), 
	CONSTRAINT fk_imported_rating_project_id FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "imported_rating" VALUES(1,1,'{}','{}','{}','{}','{}','{}','2026-01-01 00:00:00.000000',1);
CREATE TABLE insight (
	item_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_insight PRIMARY KEY (item_id, person_id), 
	CONSTRAINT fk_insight_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_insight_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "insight" VALUES(1,1,'2026-01-01 00:00:00.000000');
CREATE TABLE invitation (
	id INTEGER NOT NULL, 
	token_hash VARCHAR NOT NULL, 
	project_id INTEGER NOT NULL, 
	role VARCHAR(32) NOT NULL, 
	dimensions JSON, 
	stages JSON, 
	invited_by_id INTEGER, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	used_at DATETIME, 
	used_by_id INTEGER, dimensions_given JSON, dimensions_version INTEGER, 
	CONSTRAINT pk_invitation PRIMARY KEY (id), 
	CONSTRAINT uq_invitation_token_hash UNIQUE (token_hash), 
	CONSTRAINT fk_invitation_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT ck_invitation_role CHECK (role IN ('annotator', 'senior', 'lead')), 
	CONSTRAINT fk_invitation_invited_by_id FOREIGN KEY(invited_by_id) REFERENCES person (id), 
	CONSTRAINT fk_invitation_used_by_id FOREIGN KEY(used_by_id) REFERENCES person (id)
);
INSERT INTO "invitation" VALUES(1,'{}',1,'annotator','{}','{}',1,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000',1,'{}',1);
CREATE TABLE item (
	id INTEGER NOT NULL, 
	public_id VARCHAR NOT NULL, 
	project_id INTEGER NOT NULL, 
	dimension VARCHAR NOT NULL, 
	external_id VARCHAR NOT NULL, 
	author_id INTEGER, 
	file_id INTEGER, 
	position INTEGER, 
	fragment_lead TEXT, 
	fragment_raw TEXT, 
	state VARCHAR(32) NOT NULL, 
	current_revision INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	priority INTEGER DEFAULT '0' NOT NULL, dimension_given VARCHAR, dimension_version INTEGER, 
	CONSTRAINT pk_item PRIMARY KEY (id), 
	CONSTRAINT uq_item_project_id_external_id UNIQUE (project_id, external_id), 
	CONSTRAINT uq_item_public_id UNIQUE (public_id), 
	CONSTRAINT fk_item_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_item_author_id FOREIGN KEY(author_id) REFERENCES person (id), 
	CONSTRAINT fk_item_file_id FOREIGN KEY(file_id) REFERENCES import_file (id)
);
INSERT INTO "item" VALUES(1,'{}',1,'{}','{}',1,1,1,'{}','{}','{}',1,'2026-01-01 00:00:00.000000',1,'{}',1);
CREATE TABLE item_asset (
	id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	asset_id INTEGER NOT NULL, 
	role VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	CONSTRAINT pk_item_asset PRIMARY KEY (id), 
	CONSTRAINT uq_item_asset_item_id_role_position UNIQUE (item_id, role, position), 
	CONSTRAINT fk_item_asset_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_item_asset_asset_id FOREIGN KEY(asset_id) REFERENCES asset (id)
);
INSERT INTO "item_asset" VALUES(1,1,1,'{}',1);
CREATE TABLE judge_template (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	hash VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	by_id INTEGER, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_judge_template PRIMARY KEY (id), 
	CONSTRAINT uq_judge_template_project_id_hash UNIQUE (project_id, hash), 
	CONSTRAINT uq_judge_template_project_id_name_version UNIQUE (project_id, name, version), 
	CONSTRAINT fk_judge_template_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_judge_template_by_id FOREIGN KEY(by_id) REFERENCES person (id)
);
INSERT INTO "judge_template" VALUES(1,1,'{}',1,'{}','{}','{}',1,'2026-01-01 00:00:00.000000');
CREATE TABLE judge_unit (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	prediction_id INTEGER, 
	other_id INTEGER, 
	swapped BOOLEAN DEFAULT 0 NOT NULL, 
	attack VARCHAR, 
	sample INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_judge_unit PRIMARY KEY (id), 
	CONSTRAINT fk_judge_unit_run_id FOREIGN KEY(run_id) REFERENCES run (id), 
	CONSTRAINT fk_judge_unit_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_judge_unit_prediction_id FOREIGN KEY(prediction_id) REFERENCES prediction (id), 
	CONSTRAINT fk_judge_unit_other_id FOREIGN KEY(other_id) REFERENCES prediction (id)
);
INSERT INTO "judge_unit" VALUES(1,1,1,1,1,1,'{}',1);
CREATE TABLE judgement (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	unit_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	criterion VARCHAR NOT NULL, 
	verdict VARCHAR(32) DEFAULT 'unparseable' NOT NULL, 
	value JSON, 
	start INTEGER, 
	"end" INTEGER, 
	why TEXT NOT NULL, 
	parser VARCHAR NOT NULL, 
	parser_version INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_judgement PRIMARY KEY (id), 
	CONSTRAINT uq_judgement_attempt_id_criterion_parser_parser_version UNIQUE (attempt_id, criterion, parser, parser_version), 
	CONSTRAINT fk_judgement_run_id FOREIGN KEY(run_id) REFERENCES run (id), 
	CONSTRAINT fk_judgement_unit_id FOREIGN KEY(unit_id) REFERENCES judge_unit (id), 
	CONSTRAINT fk_judgement_attempt_id FOREIGN KEY(attempt_id) REFERENCES attempt (id)
);
INSERT INTO "judgement" VALUES(1,1,1,1,'{}','{}','{}',1,1,'{}','{}',1,'2026-01-01 00:00:00.000000');
CREATE TABLE mail (
	id INTEGER NOT NULL, 
	public_id VARCHAR NOT NULL, 
	person_id INTEGER NOT NULL, 
	subject VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	state VARCHAR(32) NOT NULL, 
	attempts INTEGER NOT NULL, 
	due_at DATETIME NOT NULL, 
	said TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	ended_at DATETIME, 
	CONSTRAINT pk_mail PRIMARY KEY (id), 
	CONSTRAINT fk_mail_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT uq_mail_public_id UNIQUE (public_id)
);
INSERT INTO "mail" VALUES(1,'{}',1,'{}','{}','{}',1,'2026-01-01 00:00:00.000000','{}','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE mail_choice (
	person_id INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	time VARCHAR(32) NOT NULL, 
	off_token VARCHAR NOT NULL, 
	told_at DATETIME NOT NULL, 
	turn INTEGER NOT NULL, 
	CONSTRAINT pk_mail_choice PRIMARY KEY (person_id), 
	CONSTRAINT fk_mail_choice_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT uq_mail_choice_off_token UNIQUE (off_token)
);
INSERT INTO "mail_choice" VALUES(1,'{}','{}','{}','2026-01-01 00:00:00.000000',1);
CREATE TABLE media_object (
	sha256 VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	mime VARCHAR NOT NULL, 
	bytes BIGINT NOT NULL, 
	width INTEGER, 
	height INTEGER, 
	duration FLOAT, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_media_object PRIMARY KEY (sha256)
);
INSERT INTO "media_object" VALUES('{}','{}','{}',1,1,1,0.5,'2026-01-01 00:00:00.000000');
CREATE TABLE member (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	role VARCHAR(32) NOT NULL, 
	dimensions JSON, 
	stages JSON, dimensions_given JSON, dimensions_version INTEGER, 
	CONSTRAINT pk_member PRIMARY KEY (id), 
	CONSTRAINT uq_member_project_id_person_id UNIQUE (project_id, person_id), 
	CONSTRAINT fk_member_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_member_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT ck_member_role CHECK (role IN ('annotator', 'senior', 'lead'))
);
INSERT INTO "member" VALUES(1,1,1,'annotator','{}','{}','{}',1);
CREATE TABLE notice_mark (
	id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	seen_at DATETIME, mailed_at DATETIME, 
	CONSTRAINT pk_notice_mark PRIMARY KEY (id), 
	CONSTRAINT fk_notice_mark_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_notice_mark_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_notice_mark_person_id_key UNIQUE (person_id, "key")
);
INSERT INTO "notice_mark" VALUES(1,1,1,'{}','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE person (
	id INTEGER NOT NULL, 
	login VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	password_hash VARCHAR, 
	is_admin BOOLEAN NOT NULL, 
	active BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_person PRIMARY KEY (id), 
	CONSTRAINT uq_person_login UNIQUE (login)
);
INSERT INTO "person" VALUES(1,'{}','{}','{}',1,1,'2026-01-01 00:00:00.000000');
CREATE TABLE person_key (
	person_id INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_person_key PRIMARY KEY (person_id), 
	CONSTRAINT fk_person_key_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "person_key" VALUES(1,'{}','2026-01-01 00:00:00.000000');
CREATE TABLE pick (
	asset_id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	CONSTRAINT pk_pick PRIMARY KEY (asset_id), 
	CONSTRAINT fk_pick_asset_id FOREIGN KEY(asset_id) REFERENCES asset (id), 
	CONSTRAINT fk_pick_task_id FOREIGN KEY(task_id) REFERENCES task (id)
);
INSERT INTO "pick" VALUES(1,1,1);
CREATE TABLE prediction (
	id INTEGER NOT NULL, 
	public_id VARCHAR NOT NULL, 
	project_id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	model VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_prediction PRIMARY KEY (id), 
	CONSTRAINT uq_prediction_item_id_model_run_id UNIQUE (item_id, model, run_id), 
	CONSTRAINT uq_prediction_public_id UNIQUE (public_id), 
	CONSTRAINT fk_prediction_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_prediction_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_prediction_run_id FOREIGN KEY(run_id) REFERENCES run (id)
);
INSERT INTO "prediction" VALUES(1,'{}',1,1,1,'{}','{}','2026-01-01 00:00:00.000000');
CREATE TABLE project (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	made_up BOOLEAN NOT NULL, 
	schema_version_id INTEGER NOT NULL, 
	seed INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	guideline_number INTEGER DEFAULT '1' NOT NULL, reading JSON, archived_at DATETIME, release_key VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_project PRIMARY KEY (id), 
	CONSTRAINT uq_project_name UNIQUE (name), 
	CONSTRAINT fk_project_schema_version_id FOREIGN KEY(schema_version_id) REFERENCES schema_version (id)
);
INSERT INTO "project" VALUES(1,'{}','{}',1,1,1,'2026-01-01 00:00:00.000000',1,'{}','2026-01-01 00:00:00.000000','{}');
CREATE TABLE qualification (
	id INTEGER NOT NULL, 
	public_id VARCHAR NOT NULL, 
	project_id INTEGER NOT NULL, 
	stage VARCHAR(32) NOT NULL, 
	set_id INTEGER, 
	person_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	exempt_by_id INTEGER, 
	why VARCHAR DEFAULT '' NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_qualification PRIMARY KEY (id), 
	CONSTRAINT uq_qualification_project_id_stage_person_id_number UNIQUE (project_id, stage, person_id, number), 
	CONSTRAINT uq_qualification_public_id UNIQUE (public_id), 
	CONSTRAINT fk_qualification_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_qualification_set_id FOREIGN KEY(set_id) REFERENCES qualification_set (id), 
	CONSTRAINT fk_qualification_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_qualification_exempt_by_id FOREIGN KEY(exempt_by_id) REFERENCES person (id)
);
INSERT INTO "qualification" VALUES(1,'{}',1,'{}',1,1,1,1,'{}','2026-01-01 00:00:00.000000');
CREATE TABLE qualification_review (
	id INTEGER NOT NULL, 
	qualification_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	signs BOOLEAN NOT NULL, 
	comments JSON NOT NULL, 
	state VARCHAR(32) NOT NULL, 
	n_right INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	reference_ids JSON, 
	CONSTRAINT pk_qualification_review PRIMARY KEY (id), 
	CONSTRAINT fk_qualification_review_qualification_id FOREIGN KEY(qualification_id) REFERENCES qualification (id), 
	CONSTRAINT fk_qualification_review_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "qualification_review" VALUES(1,1,1,1,'{}','{}',1,'2026-01-01 00:00:00.000000','{}');
CREATE TABLE qualification_set (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	stage VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	item_ids JSON NOT NULL, 
	requalify BOOLEAN DEFAULT 0 NOT NULL, 
	guideline_hash VARCHAR NOT NULL, 
	seed INTEGER NOT NULL, 
	made_by_id INTEGER, 
	created_at DATETIME NOT NULL, 
	wanted INTEGER, 
	prediction_ids JSON, 
	CONSTRAINT pk_qualification_set PRIMARY KEY (id), 
	CONSTRAINT uq_qualification_set_project_id_stage_number UNIQUE (project_id, stage, number), 
	CONSTRAINT fk_qualification_set_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_qualification_set_made_by_id FOREIGN KEY(made_by_id) REFERENCES person (id)
);
INSERT INTO "qualification_set" VALUES(1,1,'{}',1,'{}',1,'{}',1,1,'2026-01-01 00:00:00.000000',1,'{}');
CREATE TABLE reading (
	id INTEGER NOT NULL, 
	prediction_id INTEGER NOT NULL, 
	reader VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	kind VARCHAR(32) DEFAULT 'text' NOT NULL, 
	asked VARCHAR NOT NULL, 
	outcome VARCHAR(32) DEFAULT 'unreadable' NOT NULL, 
	value JSON, 
	places JSON NOT NULL, 
	spans JSON NOT NULL, 
	rule VARCHAR NOT NULL, 
	why TEXT NOT NULL, 
	detail JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_reading PRIMARY KEY (id), 
	CONSTRAINT uq_reading_prediction_id_reader_version_asked UNIQUE (prediction_id, reader, version, asked), 
	CONSTRAINT fk_reading_prediction_id FOREIGN KEY(prediction_id) REFERENCES prediction (id)
);
INSERT INTO "reading" VALUES(1,1,'{}',1,1,'{}','{}','{}','{}','{}','{}','{}','{}','{}','2026-01-01 00:00:00.000000');
CREATE TABLE release (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	point INTEGER NOT NULL, 
	asked JSON NOT NULL, 
	told JSON NOT NULL, 
	manifest_sha256 VARCHAR NOT NULL, 
	by_id INTEGER, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_release PRIMARY KEY (id), 
	CONSTRAINT fk_release_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_release_by_id FOREIGN KEY(by_id) REFERENCES person (id), 
	CONSTRAINT uq_release_project_id_number_point UNIQUE (project_id, number, point)
);
INSERT INTO "release" VALUES(1,1,1,1,'{}','{}','{}',1,'2026-01-01 00:00:00.000000');
CREATE TABLE release_about (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	about JSON NOT NULL, 
	by_id INTEGER, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_release_about PRIMARY KEY (id), 
	CONSTRAINT fk_release_about_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_release_about_by_id FOREIGN KEY(by_id) REFERENCES person (id), 
	CONSTRAINT uq_release_about_project_id_number UNIQUE (project_id, number)
);
INSERT INTO "release_about" VALUES(1,1,1,'{}',1,'2026-01-01 00:00:00.000000');
CREATE TABLE release_item (
	release_id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	split VARCHAR NOT NULL, 
	place INTEGER NOT NULL, 
	CONSTRAINT pk_release_item PRIMARY KEY (release_id, item_id), 
	CONSTRAINT fk_release_item_release_id FOREIGN KEY(release_id) REFERENCES release (id), 
	CONSTRAINT fk_release_item_item_id FOREIGN KEY(item_id) REFERENCES item (id)
);
INSERT INTO "release_item" VALUES(1,1,1,'{}',1);
CREATE TABLE revision (
	id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	content JSON NOT NULL, 
	editor_id INTEGER, 
	schema_version_id INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_revision PRIMARY KEY (id), 
	CONSTRAINT uq_revision_item_id_number UNIQUE (item_id, number), 
	CONSTRAINT fk_revision_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_revision_editor_id FOREIGN KEY(editor_id) REFERENCES person (id), 
	CONSTRAINT fk_revision_schema_version_id FOREIGN KEY(schema_version_id) REFERENCES schema_version (id)
);
INSERT INTO "revision" VALUES(1,1,1,'{}',1,1,'2026-01-01 00:00:00.000000');
CREATE TABLE run (
	id INTEGER NOT NULL, 
	public_id VARCHAR NOT NULL, 
	project_id INTEGER NOT NULL, 
	kind VARCHAR(32) DEFAULT 'import' NOT NULL, 
	name VARCHAR NOT NULL, 
	params JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	state VARCHAR(32) DEFAULT 'done' NOT NULL, 
	spec_hash VARCHAR DEFAULT '' NOT NULL, 
	wanted INTEGER DEFAULT '0' NOT NULL, 
	said TEXT DEFAULT '' NOT NULL, 
	by_id INTEGER, 
	started_at DATETIME, 
	ended_at DATETIME, 
	withdrawn_at DATETIME, 
	withdrawn_why TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_run PRIMARY KEY (id), 
	CONSTRAINT uq_run_public_id UNIQUE (public_id), 
	CONSTRAINT fk_run_project_id FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "run" VALUES(1,'{}',1,'{}','{}','{}','2026-01-01 00:00:00.000000','{}','{}',1,'{}',1,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','{}');
CREATE TABLE run_batch (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	worker_id INTEGER NOT NULL, 
	by_hand BOOLEAN DEFAULT 0 NOT NULL, 
	state VARCHAR(32) DEFAULT 'making' NOT NULL, 
	file TEXT, 
	server_id TEXT, 
	most_cost FLOAT DEFAULT '0' NOT NULL, 
	told JSON NOT NULL, 
	said TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	sent_at DATETIME, 
	ended_at DATETIME, 
	CONSTRAINT pk_run_batch PRIMARY KEY (id), 
	CONSTRAINT uq_run_batch_run_id_number UNIQUE (run_id, number), 
	CONSTRAINT fk_run_batch_run_id FOREIGN KEY(run_id) REFERENCES run (id), 
	CONSTRAINT fk_run_batch_worker_id FOREIGN KEY(worker_id) REFERENCES run_worker (id)
);
INSERT INTO "run_batch" VALUES(1,1,1,1,1,'{}','{}','{}',0.5,'{}','{}','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE run_batch_problem (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	why TEXT NOT NULL, 
	raw TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_run_batch_problem PRIMARY KEY (id), 
	CONSTRAINT uq_run_batch_problem_run_id_key UNIQUE (run_id, "key"), 
	CONSTRAINT fk_run_batch_problem_run_id FOREIGN KEY(run_id) REFERENCES run (id)
);
INSERT INTO "run_batch_problem" VALUES(1,1,'{}','{}','{}','2026-01-01 00:00:00.000000');
CREATE TABLE run_batch_unit (
	id INTEGER NOT NULL, 
	batch_id INTEGER NOT NULL, 
	unit_id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	prompt_hash VARCHAR NOT NULL, 
	image_hashes JSON NOT NULL, 
	attempt_id INTEGER, 
	digest VARCHAR NOT NULL, 
	CONSTRAINT pk_run_batch_unit PRIMARY KEY (id), 
	CONSTRAINT uq_run_batch_unit_batch_id_unit_id UNIQUE (batch_id, unit_id), 
	CONSTRAINT fk_run_batch_unit_batch_id FOREIGN KEY(batch_id) REFERENCES run_batch (id), 
	CONSTRAINT fk_run_batch_unit_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_run_batch_unit_attempt_id FOREIGN KEY(attempt_id) REFERENCES attempt (id)
);
INSERT INTO "run_batch_unit" VALUES(1,1,1,1,'{}','{}',1,'{}');
CREATE TABLE run_chunk (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	unit_ids JSON NOT NULL, 
	since INTEGER DEFAULT '0' NOT NULL, 
	done BOOLEAN DEFAULT 0 NOT NULL, 
	worker_id INTEGER, 
	lease_until DATETIME, 
	CONSTRAINT pk_run_chunk PRIMARY KEY (id), 
	CONSTRAINT uq_run_chunk_run_id_number UNIQUE (run_id, number), 
	CONSTRAINT fk_run_chunk_run_id FOREIGN KEY(run_id) REFERENCES run (id), 
	CONSTRAINT fk_run_chunk_worker_id FOREIGN KEY(worker_id) REFERENCES run_worker (id)
);
INSERT INTO "run_chunk" VALUES(1,1,1,'{}',1,1,1,'2026-01-01 00:00:00.000000');
CREATE TABLE run_worker (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	about JSON NOT NULL, 
	started_at DATETIME NOT NULL, 
	seen_at DATETIME NOT NULL, 
	ended_at DATETIME, 
	CONSTRAINT pk_run_worker PRIMARY KEY (id), 
	CONSTRAINT fk_run_worker_run_id FOREIGN KEY(run_id) REFERENCES run (id)
);
INSERT INTO "run_worker" VALUES(1,1,'{}','{}','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE schedule (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	deadlines JSON NOT NULL, 
	stage_order JSON NOT NULL, 
	by_id INTEGER, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_schedule PRIMARY KEY (id), 
	CONSTRAINT fk_schedule_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_schedule_by_id FOREIGN KEY(by_id) REFERENCES person (id), 
	CONSTRAINT uq_schedule_project_id_number UNIQUE (project_id, number)
);
INSERT INTO "schedule" VALUES(1,1,1,'{}','{}',1,'2026-01-01 00:00:00.000000');
CREATE TABLE schema_change (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	before_id INTEGER NOT NULL, 
	after_id INTEGER NOT NULL, 
	decisions JSON NOT NULL, 
	reading_before JSON, 
	guideline_before INTEGER NOT NULL, 
	undoes INTEGER, 
	by_id INTEGER, 
	done_to INTEGER NOT NULL, 
	finished_at DATETIME, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_schema_change PRIMARY KEY (id), 
	CONSTRAINT fk_schema_change_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_schema_change_before_id FOREIGN KEY(before_id) REFERENCES schema_version (id), 
	CONSTRAINT fk_schema_change_after_id FOREIGN KEY(after_id) REFERENCES schema_version (id), 
	CONSTRAINT fk_schema_change_by_id FOREIGN KEY(by_id) REFERENCES person (id), 
	CONSTRAINT uq_schema_change_project_id_number UNIQUE (project_id, number)
);
INSERT INTO "schema_change" VALUES(1,1,1,1,1,'{}','{}',1,1,1,1,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE schema_version (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	hash VARCHAR NOT NULL, 
	guideline_hash VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	guideline_text TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_schema_version PRIMARY KEY (id), 
	CONSTRAINT uq_schema_version_hash UNIQUE (hash)
);
INSERT INTO "schema_version" VALUES(1,'{}',1,'{}','{}','{}','{}','2026-01-01 00:00:00.000000');
CREATE TABLE session (
	id INTEGER NOT NULL, 
	token_hash VARCHAR NOT NULL, 
	person_id INTEGER NOT NULL, 
	csrf VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_session PRIMARY KEY (id), 
	CONSTRAINT uq_session_token_hash UNIQUE (token_hash), 
	CONSTRAINT fk_session_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "session" VALUES(1,'{}',1,'{}','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE sift_decision (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	asset_id INTEGER NOT NULL, 
	person_id INTEGER, 
	submit_key VARCHAR NOT NULL, 
	action VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	typed BOOLEAN NOT NULL, 
	schema_version_id INTEGER NOT NULL, 
	guideline_hash VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_sift_decision PRIMARY KEY (id), 
	CONSTRAINT uq_sift_decision_person_id_submit_key_asset_id UNIQUE (person_id, submit_key, asset_id), 
	CONSTRAINT fk_sift_decision_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_sift_decision_asset_id FOREIGN KEY(asset_id) REFERENCES asset (id), 
	CONSTRAINT fk_sift_decision_person_id FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_sift_decision_schema_version_id FOREIGN KEY(schema_version_id) REFERENCES schema_version (id)
);
INSERT INTO "sift_decision" VALUES(1,1,1,1,'{}','{}','{}',1,1,'{}','2026-01-01 00:00:00.000000');
CREATE TABLE sign_in_link (
	id INTEGER NOT NULL, 
	token_hash VARCHAR NOT NULL, 
	person_id INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	used_at DATETIME, 
	CONSTRAINT pk_sign_in_link PRIMARY KEY (id), 
	CONSTRAINT uq_sign_in_link_token_hash UNIQUE (token_hash), 
	CONSTRAINT fk_sign_in_link_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "sign_in_link" VALUES(1,'{}',1,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE source (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	taken INTEGER NOT NULL, 
	kept INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_source PRIMARY KEY (id), 
	CONSTRAINT uq_source_project_id_name UNIQUE (project_id, name), 
	CONSTRAINT fk_source_project_id FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "source" VALUES(1,1,'{}',1,1);
CREATE TABLE tally (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	stage VARCHAR(32) NOT NULL, 
	counted_at DATETIME NOT NULL, 
	fresh_until DATETIME NOT NULL, 
	"left" JSON NOT NULL, 
	done JSON NOT NULL, 
	kept INTEGER NOT NULL, 
	decided INTEGER NOT NULL, 
	CONSTRAINT pk_tally PRIMARY KEY (id), 
	CONSTRAINT uq_tally_project_id_person_id_stage UNIQUE (project_id, person_id, stage), 
	CONSTRAINT fk_tally_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_tally_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "tally" VALUES(1,1,1,'{}','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','{}','{}',1,1);
CREATE TABLE task (
	id INTEGER NOT NULL, 
	public_id VARCHAR NOT NULL, 
	project_id INTEGER NOT NULL, 
	stage VARCHAR(32) NOT NULL, 
	unit VARCHAR NOT NULL, 
	slot INTEGER NOT NULL, 
	item_id INTEGER, 
	revision INTEGER, 
	prediction_id INTEGER, 
	dimension VARCHAR NOT NULL, 
	state VARCHAR(32) NOT NULL, 
	person_id INTEGER, 
	lease_until DATETIME, 
	correcting BOOLEAN NOT NULL, 
	shuffle INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	purpose VARCHAR(32) DEFAULT 'live' NOT NULL, 
	rank INTEGER DEFAULT '0' NOT NULL, 
	opened BIGINT DEFAULT '0' NOT NULL, 
	awaits_media BOOLEAN DEFAULT 0 NOT NULL, dimension_given VARCHAR, dimension_version INTEGER, 
	CONSTRAINT pk_task PRIMARY KEY (id), 
	CONSTRAINT uq_task_public_id UNIQUE (public_id), 
	CONSTRAINT uq_task_unit_person_id UNIQUE (unit, person_id), 
	CONSTRAINT uq_task_unit_slot UNIQUE (unit, slot), 
	CONSTRAINT fk_task_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_task_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_task_prediction_id FOREIGN KEY(prediction_id) REFERENCES prediction (id), 
	CONSTRAINT ck_task_taskstate CHECK (state IN ('open', 'claimed', 'done', 'withdrawn')), 
	CONSTRAINT fk_task_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "task" VALUES(1,'{}',1,'{}','{}',1,1,1,1,'{}','open',1,'2026-01-01 00:00:00.000000',1,1,'2026-01-01 00:00:00.000000','{}',1,1,1,'{}',1);
CREATE TABLE tool_result (
	id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	tool VARCHAR NOT NULL, 
	arguments JSON, 
	arguments_key TEXT NOT NULL, 
	result JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_tool_result PRIMARY KEY (id), 
	CONSTRAINT uq_tool_result_item_id_tool_arguments_key UNIQUE (item_id, tool, arguments_key), 
	CONSTRAINT fk_tool_result_item_id FOREIGN KEY(item_id) REFERENCES item (id)
);
INSERT INTO "tool_result" VALUES(1,1,'{}','{}','{}','{}','2026-01-01 00:00:00.000000');
CREATE TABLE walk (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	stage VARCHAR(32) NOT NULL, 
	dimension VARCHAR NOT NULL, 
	bits INTEGER, 
	rank BIGINT NOT NULL, 
	place BIGINT NOT NULL, 
	begun BIGINT NOT NULL, 
	cost BIGINT NOT NULL, 
	heard BIGINT NOT NULL, 
	heard_id BIGINT NOT NULL, 
	ended BOOLEAN NOT NULL, 
	CONSTRAINT pk_walk PRIMARY KEY (id), 
	CONSTRAINT uq_walk_project_id_person_id_stage_dimension UNIQUE (project_id, person_id, stage, dimension), 
	CONSTRAINT fk_walk_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_walk_person_id FOREIGN KEY(person_id) REFERENCES person (id)
);
INSERT INTO "walk" VALUES(1,1,1,'{}','{}',1,1,1,1,1,1,1,1);
CREATE TABLE withdrawal (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	release_id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	by_id INTEGER, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_withdrawal PRIMARY KEY (id), 
	CONSTRAINT fk_withdrawal_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT fk_withdrawal_release_id FOREIGN KEY(release_id) REFERENCES release (id), 
	CONSTRAINT fk_withdrawal_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT fk_withdrawal_by_id FOREIGN KEY(by_id) REFERENCES person (id)
);
INSERT INTO "withdrawal" VALUES(1,1,1,1,'{}',1,'2026-01-01 00:00:00.000000');
CREATE INDEX ix_failed_login_login_at ON failed_login (login, at);
CREATE INDEX ix_session_person_id ON session (person_id);
CREATE INDEX ix_sign_in_link_person_id ON sign_in_link (person_id);
CREATE INDEX ix_gold_pardon_person_id ON gold_pardon (person_id);
CREATE INDEX ix_invitation_project_id ON invitation (project_id);
CREATE INDEX ix_member_person_id ON member (person_id);
CREATE INDEX ix_run_project_id ON run (project_id);
CREATE INDEX ix_tally_person_id ON tally (person_id);
CREATE INDEX ix_walk_person_id ON walk (person_id);
CREATE INDEX ix_asset_pool ON asset (project_id, in_pool, id);
CREATE INDEX ix_asset_project_id_name ON asset (project_id, name);
CREATE INDEX ix_asset_project_id_sha256 ON asset (project_id, sha256);
CREATE INDEX ix_bridge_person_person_id ON bridge_person (person_id);
CREATE INDEX ix_bridge_project_bridge_id ON bridge_project (bridge_id, removed_at);
CREATE INDEX ix_bridge_project_person_id ON bridge_project (person_id);
CREATE INDEX ix_item_author_id ON item (author_id);
CREATE INDEX ix_item_file ON item (file_id, position);
CREATE INDEX ix_item_state ON item (project_id, state, dimension);
CREATE INDEX ix_run_worker_run_id ON run_worker (run_id);
CREATE INDEX ix_attempt_item_id ON attempt (item_id);
CREATE INDEX ix_attempt_run_id_outcome ON attempt (run_id, outcome, id);
CREATE INDEX ix_candidate_mine ON candidate (person_id, project_id, state);
CREATE INDEX ix_candidate_source_id ON candidate (source_id);
CREATE INDEX ix_candidate_waiting ON candidate (project_id, state, asset_id);
CREATE INDEX ix_comment_item_id_id ON comment (item_id, id);
CREATE INDEX ix_comment_project_id_id ON comment (project_id, id);
CREATE INDEX ix_item_asset_asset_id ON item_asset (asset_id);
CREATE INDEX ix_prediction_project_id_model ON prediction (project_id, model);
CREATE INDEX ix_prediction_run_id ON prediction (run_id);
CREATE INDEX ix_qualification_review_qualification_id ON qualification_review (qualification_id);
CREATE INDEX ix_revision_item_id_editor_id ON revision (item_id, editor_id);
CREATE INDEX ix_run_chunk_next ON run_chunk (run_id, done, lease_until, number);
CREATE INDEX ix_sift_decision_asset_id ON sift_decision (asset_id);
CREATE INDEX ix_sift_decision_project_id_id ON sift_decision (project_id, id);
CREATE INDEX ix_comment_for_person_id ON comment_for (person_id);
CREATE INDEX ix_gold_item_id ON gold (item_id);
CREATE INDEX ix_gold_project_id_stage ON gold (project_id, stage);
CREATE INDEX ix_judge_unit_prediction_id ON judge_unit (prediction_id);
CREATE INDEX ix_judge_unit_run_id ON judge_unit (run_id);
CREATE INDEX ix_task_item_id ON task (item_id);
CREATE INDEX ix_task_lease ON task (project_id, stage, state, lease_until);
CREATE INDEX ix_task_next ON task (project_id, stage, state, awaits_media, rank, shuffle);
CREATE INDEX ix_task_next_dimension ON task (project_id, stage, state, dimension, awaits_media, rank, shuffle);
CREATE INDEX ix_task_opened ON task (project_id, stage, state, awaits_media, opened, id);
CREATE INDEX ix_task_prediction_id ON task (prediction_id);
CREATE INDEX ix_annotation_item ON annotation (item_id, stage, revision);
CREATE INDEX ix_annotation_person ON annotation (person_id, project_id, stage, id);
CREATE INDEX ix_annotation_prediction_id ON annotation (prediction_id);
CREATE INDEX ix_annotation_project_id_stage ON annotation (project_id, stage);
CREATE INDEX ix_annotation_task_id ON annotation (task_id);
CREATE INDEX ix_aside_person_id ON aside (person_id, project_id, stage, at);
CREATE INDEX ix_aside_task_id ON aside (task_id);
CREATE INDEX ix_draft_lost ON draft (lost, saved_at);
CREATE INDEX ix_draft_person_id ON draft (person_id);
CREATE INDEX ix_event_item_id ON event (item_id);
CREATE INDEX ix_event_person_id ON event (person_id);
CREATE INDEX ix_event_project_id_id ON event (project_id, id);
CREATE INDEX ix_event_project_id_kind ON event (project_id, kind, id);
CREATE INDEX ix_event_task_id ON event (task_id);
CREATE INDEX ix_judgement_run_id_verdict ON judgement (run_id, verdict, id);
CREATE INDEX ix_judgement_unit_id ON judgement (unit_id);
CREATE INDEX ix_pick_task_id ON pick (task_id);
CREATE INDEX ix_bridge_task_bridge_project_id ON bridge_task (bridge_project_id, gone_at, state);
CREATE INDEX ix_bridge_task_person_id ON bridge_task (person_id);
CREATE INDEX ix_bridge_task_task_id ON bridge_task (task_id, state);
CREATE INDEX ix_cause_answer_guideline_version_id ON cause_answer (guideline_version_id);
CREATE INDEX ix_bridge_answer_bridge_id ON bridge_answer (bridge_id, outcome);
CREATE INDEX ix_bridge_answer_person_id ON bridge_answer (person_id);
CREATE INDEX ix_candidate_look_0 ON candidate (project_id, state, ((look >> 0) & 511));
CREATE INDEX ix_candidate_look_1 ON candidate (project_id, state, ((look >> 9) & 511));
CREATE INDEX ix_candidate_look_2 ON candidate (project_id, state, ((look >> 18) & 511));
CREATE INDEX ix_candidate_look_3 ON candidate (project_id, state, ((look >> 27) & 511));
CREATE INDEX ix_candidate_look_4 ON candidate (project_id, state, ((look >> 36) & 511));
CREATE INDEX ix_candidate_look_5 ON candidate (project_id, state, ((look >> 45) & 511));
CREATE INDEX ix_candidate_look_6 ON candidate (project_id, state, ((look >> 54) & 1023));
CREATE INDEX ix_asset_sha256 ON asset (sha256);
CREATE UNIQUE INDEX ix_asset_group ON asset (project_id, group_name, place);
CREATE INDEX ix_annotation_pace ON annotation (person_id, project_id, stage, purpose, created_at, supersedes_id, seconds, schema_change);
CREATE INDEX ix_notice_mark_project_id ON notice_mark (project_id);
CREATE INDEX ix_mail_person_id ON mail (person_id);
CREATE INDEX ix_mail_due ON mail (state, due_at);
CREATE TRIGGER schedule_no_update BEFORE UPDATE ON schedule BEGIN SELECT RAISE(ABORT, 'schedule is append-only'); END;
CREATE TRIGGER schedule_no_delete BEFORE DELETE ON schedule BEGIN SELECT RAISE(ABORT, 'schedule is append-only'); END;
CREATE INDEX ix_task_mine ON task (person_id, project_id, stage, state, dimension, purpose);
CREATE INDEX ix_task_correcting ON task (person_id, project_id, stage, correcting);
CREATE INDEX ix_withdrawal_release_id ON withdrawal (release_id);
CREATE TRIGGER release_no_update BEFORE UPDATE ON release BEGIN SELECT RAISE(ABORT, 'release is append-only'); END;
CREATE TRIGGER release_no_delete BEFORE DELETE ON release BEGIN SELECT RAISE(ABORT, 'release is append-only'); END;
CREATE TRIGGER release_item_no_update BEFORE UPDATE ON release_item BEGIN SELECT RAISE(ABORT, 'release_item is append-only'); END;
CREATE TRIGGER release_item_no_delete BEFORE DELETE ON release_item BEGIN SELECT RAISE(ABORT, 'release_item is append-only'); END;
CREATE TRIGGER withdrawal_no_update BEFORE UPDATE ON withdrawal BEGIN SELECT RAISE(ABORT, 'withdrawal is append-only'); END;
CREATE TRIGGER withdrawal_no_delete BEFORE DELETE ON withdrawal BEGIN SELECT RAISE(ABORT, 'withdrawal is append-only'); END;
CREATE TRIGGER release_about_no_update BEFORE UPDATE ON release_about BEGIN SELECT RAISE(ABORT, 'release_about is append-only'); END;
CREATE TRIGGER release_about_no_delete BEFORE DELETE ON release_about BEGIN SELECT RAISE(ABORT, 'release_about is append-only'); END;
CREATE INDEX ix_exposure_project_id ON exposure (project_id);
CREATE INDEX ix_exposure_item_id ON exposure (item_id, person_id);
CREATE UNIQUE INDEX ix_exposure_asset ON exposure (person_id, asset_id, sha256) WHERE asset_id IS NOT NULL;
CREATE TRIGGER exposure_no_update BEFORE UPDATE ON exposure BEGIN SELECT RAISE(ABORT, 'exposure is append-only'); END;
CREATE TRIGGER exposure_no_delete BEFORE DELETE ON exposure BEGIN SELECT RAISE(ABORT, 'exposure is append-only'); END;
CREATE TRIGGER exposure_shape_no_update BEFORE UPDATE ON exposure_shape BEGIN SELECT RAISE(ABORT, 'exposure_shape is append-only'); END;
CREATE TRIGGER exposure_shape_no_delete BEFORE DELETE ON exposure_shape BEGIN SELECT RAISE(ABORT, 'exposure_shape is append-only'); END;
CREATE TRIGGER entry_budget_no_update BEFORE UPDATE ON entry_budget BEGIN SELECT RAISE(ABORT, 'entry_budget is append-only'); END;
CREATE TRIGGER entry_budget_no_delete BEFORE DELETE ON entry_budget BEGIN SELECT RAISE(ABORT, 'entry_budget is append-only'); END;
CREATE TRIGGER annotation_no_update BEFORE UPDATE ON annotation BEGIN SELECT RAISE(ABORT, 'annotation is append-only'); END;
CREATE TRIGGER annotation_no_delete BEFORE DELETE ON annotation BEGIN SELECT RAISE(ABORT, 'annotation is append-only'); END;
CREATE TRIGGER revision_no_update BEFORE UPDATE ON revision BEGIN SELECT RAISE(ABORT, 'revision is append-only'); END;
CREATE TRIGGER revision_no_delete BEFORE DELETE ON revision BEGIN SELECT RAISE(ABORT, 'revision is append-only'); END;
CREATE TRIGGER guideline_version_no_update BEFORE UPDATE ON guideline_version BEGIN SELECT RAISE(ABORT, 'guideline_version is append-only'); END;
CREATE TRIGGER guideline_version_no_delete BEFORE DELETE ON guideline_version BEGIN SELECT RAISE(ABORT, 'guideline_version is append-only'); END;
CREATE TRIGGER cause_answer_no_update BEFORE UPDATE ON cause_answer BEGIN SELECT RAISE(ABORT, 'cause_answer is append-only'); END;
CREATE TRIGGER cause_answer_no_delete BEFORE DELETE ON cause_answer BEGIN SELECT RAISE(ABORT, 'cause_answer is append-only'); END;
CREATE TRIGGER comment_no_update BEFORE UPDATE ON comment BEGIN SELECT RAISE(ABORT, 'comment is append-only'); END;
CREATE TRIGGER comment_no_delete BEFORE DELETE ON comment BEGIN SELECT RAISE(ABORT, 'comment is append-only'); END;
CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;
CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;
CREATE TRIGGER sift_decision_no_update BEFORE UPDATE ON sift_decision BEGIN SELECT RAISE(ABORT, 'sift_decision is append-only'); END;
CREATE TRIGGER sift_decision_no_delete BEFORE DELETE ON sift_decision BEGIN SELECT RAISE(ABORT, 'sift_decision is append-only'); END;
CREATE TRIGGER qualification_set_no_update BEFORE UPDATE ON qualification_set BEGIN SELECT RAISE(ABORT, 'qualification_set is append-only'); END;
CREATE TRIGGER qualification_set_no_delete BEFORE DELETE ON qualification_set BEGIN SELECT RAISE(ABORT, 'qualification_set is append-only'); END;
CREATE TRIGGER qualification_no_update BEFORE UPDATE ON qualification BEGIN SELECT RAISE(ABORT, 'qualification is append-only'); END;
CREATE TRIGGER qualification_no_delete BEFORE DELETE ON qualification BEGIN SELECT RAISE(ABORT, 'qualification is append-only'); END;
CREATE TRIGGER qualification_review_no_update BEFORE UPDATE ON qualification_review BEGIN SELECT RAISE(ABORT, 'qualification_review is append-only'); END;
CREATE TRIGGER qualification_review_no_delete BEFORE DELETE ON qualification_review BEGIN SELECT RAISE(ABORT, 'qualification_review is append-only'); END;
CREATE TRIGGER gold_pardon_no_update BEFORE UPDATE ON gold_pardon BEGIN SELECT RAISE(ABORT, 'gold_pardon is append-only'); END;
CREATE TRIGGER gold_pardon_no_delete BEFORE DELETE ON gold_pardon BEGIN SELECT RAISE(ABORT, 'gold_pardon is append-only'); END;
CREATE TRIGGER attempt_no_update BEFORE UPDATE ON attempt BEGIN SELECT RAISE(ABORT, 'attempt is append-only'); END;
CREATE TRIGGER attempt_no_delete BEFORE DELETE ON attempt BEGIN SELECT RAISE(ABORT, 'attempt is append-only'); END;
CREATE TRIGGER judge_template_no_update BEFORE UPDATE ON judge_template BEGIN SELECT RAISE(ABORT, 'judge_template is append-only'); END;
CREATE TRIGGER judge_template_no_delete BEFORE DELETE ON judge_template BEGIN SELECT RAISE(ABORT, 'judge_template is append-only'); END;
CREATE TRIGGER judgement_no_update BEFORE UPDATE ON judgement BEGIN SELECT RAISE(ABORT, 'judgement is append-only'); END;
CREATE TRIGGER judgement_no_delete BEFORE DELETE ON judgement BEGIN SELECT RAISE(ABORT, 'judgement is append-only'); END;
CREATE TRIGGER reading_no_update BEFORE UPDATE ON reading BEGIN SELECT RAISE(ABORT, 'reading is append-only'); END;
CREATE TRIGGER reading_no_delete BEFORE DELETE ON reading BEGIN SELECT RAISE(ABORT, 'reading is append-only'); END;
CREATE TRIGGER bridge_answer_no_update BEFORE UPDATE ON bridge_answer BEGIN SELECT RAISE(ABORT, 'bridge_answer is append-only'); END;
CREATE TRIGGER bridge_answer_no_delete BEFORE DELETE ON bridge_answer BEGIN SELECT RAISE(ABORT, 'bridge_answer is append-only'); END;
COMMIT;
