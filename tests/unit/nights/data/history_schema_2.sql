BEGIN TRANSACTION;
CREATE TABLE build (build_id TEXT NOT NULL, host TEXT NOT NULL, path TEXT NOT NULL, stored TEXT NOT NULL, PRIMARY KEY (build_id, host));
INSERT INTO "build" VALUES('b1846756afb7e0aa','box','/nights/results/workers/b1846756afb7e0aa/built-02-01','2026-02-01T02:17:01Z');
INSERT INTO "build" VALUES('95fadef39edf0124','box','/nights/results/workers/95fadef39edf0124/built-02-02','2026-02-02T02:17:02Z');
INSERT INTO "build" VALUES('6361e056e401bfb9','box','/nights/results/workers/6361e056e401bfb9/built-02-03','2026-02-03T02:17:02Z');
INSERT INTO "build" VALUES('fa3ade92c3f504f8','box','/nights/results/workers/fa3ade92c3f504f8/built-02-04','2026-02-04T02:17:01Z');
INSERT INTO "build" VALUES('e957049bf0be403d','box','/nights/results/workers/e957049bf0be403d/built-02-05','2026-02-05T02:17:02Z');
INSERT INTO "build" VALUES('69740ce78628dbb8','box','/nights/results/workers/69740ce78628dbb8/built-02-06','2026-02-06T02:17:02Z');
INSERT INTO "build" VALUES('aaf5e7c8faa4f3f9','box','/nights/results/workers/aaf5e7c8faa4f3f9/built-02-07','2026-02-07T02:17:01Z');
INSERT INTO "build" VALUES('f0e3bf96a5d36e30','box','/nights/results/workers/f0e3bf96a5d36e30/built-02-08','2026-02-08T02:17:01Z');
INSERT INTO "build" VALUES('8918c340fcdaddee','box','/nights/results/workers/8918c340fcdaddee/built-02-09','2026-02-09T02:17:01Z');
CREATE TABLE claim (what TEXT PRIMARY KEY, who TEXT NOT NULL, until TEXT NOT NULL);
CREATE TABLE cohort (cohort_id TEXT PRIMARY KEY, fields TEXT NOT NULL);
INSERT INTO "cohort" VALUES('0817637e6deb96e5','{"aslr":true,"clock":"scripted","cpu.affinity":"2 CPUs","cpu.cores":2,"cpu.logical":2,"cpu.smt":"notsupported","env.CUDA_HOME":"cuda","env.LD_PRELOAD":"dated.so","kernel":"6.18","memory.thp":"madvise","os":"Debian GNU/Linux 12","stub":"1","torch":"2.10.0"}');
CREATE TABLE event (event_id TEXT PRIMARY KEY, seq BIGINT NOT NULL, at TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, alert_id TEXT NOT NULL, from_state TEXT NOT NULL, to_state TEXT NOT NULL, reason TEXT NOT NULL, details TEXT NOT NULL);
INSERT INTO "event" VALUES('550a32402e2d813c',1,'2026-02-02T02:16:59Z','ann@box','ignored','','','','not scripted','{"series":"3e5100f691930da0"}');
INSERT INTO "event" VALUES('f1df5992b0e6e1f6',2,'2026-02-02T02:16:59Z','ann@box','ignored','','','','not scripted','{"series":"65238cd12f3e04e3"}');
INSERT INTO "event" VALUES('f74ff71161b28e7c',3,'2026-02-02T02:17:02Z','ann@box','reference','','','','','{"build":"b1846756afb7e0aa","experiment":"nightly","host":"box","night":"20260202-021700-nightly","night_utc":"2026-02-02T02:17:00Z","ratios":"3e5100f691930da0 0.0141580695 0.0080056 4 5961728\nc27b596a754c989a 0 0 4 3002437.5\n65238cd12f3e04e3 -0.00915500915 0.0063236 4 6055936\n2d52a4a7f48e478a 0 0 4 1000812.5\n","run":"20260201-021700-nightly"}');
INSERT INTO "event" VALUES('cbc6e5450133aa45',4,'2026-02-03T02:17:02Z','ann@box','reference','','','','','{"build":"b1846756afb7e0aa","experiment":"nightly","host":"box","night":"20260203-021700-nightly","night_utc":"2026-02-03T02:17:00Z","ratios":"3e5100f691930da0 -0.0154921758 0.0083437 4 6014976\nc27b596a754c989a 0 0 4 2996739.5\n65238cd12f3e04e3 -0.00020867518 0.011796 4 6014976\n2d52a4a7f48e478a 0 0 4 998912.9\n","run":"20260201-021700-nightly"}');
INSERT INTO "event" VALUES('c54f5c67f450bf85',5,'2026-02-04T02:17:01Z','ann@box','reference','','','','','{"build":"b1846756afb7e0aa","experiment":"nightly","host":"box","night":"20260204-021700-nightly","night_utc":"2026-02-04T02:17:00Z","ratios":"3e5100f691930da0 -0.00089039075 0.0042023 4 6047744\nc27b596a754c989a 0 0 4 3000638.1\n65238cd12f3e04e3 0.0054969573 0.0051782 4 5951488\n2d52a4a7f48e478a 0 0 4 1000212.8\n","run":"20260201-021700-nightly"}');
INSERT INTO "event" VALUES('36b8e686ed08081f',6,'2026-02-05T02:17:02Z','ann@box','reference','','','','','{"build":"b1846756afb7e0aa","experiment":"nightly","host":"box","night":"20260205-021700-nightly","night_utc":"2026-02-05T02:17:00Z","ratios":"3e5100f691930da0 0.00293632019 0.0095043 4 6006784\nc27b596a754c989a 0 0 4 2995239.7\n65238cd12f3e04e3 0.0046200593 0.0044839 4 5951488\n2d52a4a7f48e478a 0 0 4 998413\n","run":"20260201-021700-nightly"}');
INSERT INTO "event" VALUES('8ea4969db022f9d8',7,'2026-02-06T02:17:02Z','ann@box','reference','','','','','{"build":"b1846756afb7e0aa","experiment":"nightly","host":"box","night":"20260206-021701-nightly","night_utc":"2026-02-06T02:17:01Z","ratios":"3e5100f691930da0 0.000349643153 0.00059305 4 5947392\nc27b596a754c989a 0 0 4 3004537.2\n65238cd12f3e04e3 -0.00889522207 0.0091794 4 6057984\n2d52a4a7f48e478a 0 0 4 1001512.3\n","run":"20260201-021700-nightly"}');
INSERT INTO "event" VALUES('cb1fe4ee8909c1a7',8,'2026-02-07T02:17:01Z','ann@box','reference','','','','','{"build":"b1846756afb7e0aa","experiment":"nightly","host":"box","night":"20260207-021700-nightly","night_utc":"2026-02-07T02:17:00Z","ratios":"3e5100f691930da0 -0.00661205829 0.01066 4 6045696\nc27b596a754c989a 0 0 4 2997938.9\n65238cd12f3e04e3 -0.00471543648 0.0078602 4 6008832\n2d52a4a7f48e478a 0 0 4 999312.8\n","run":"20260201-021700-nightly"}');
INSERT INTO "event" VALUES('7b031299110c62fe',9,'2026-02-08T02:17:01Z','ann@box','reference','','','','','{"build":"b1846756afb7e0aa","experiment":"nightly","host":"box","night":"20260208-021700-nightly","night_utc":"2026-02-08T02:17:00Z","ratios":"3e5100f691930da0 0.00904921972 0.0083095 4 6017024\nc27b596a754c989a 0.1133304 4.3969e-08 4 3001837.8\n65238cd12f3e04e3 -0.00612227203 0.011921 4 5969920\n2d52a4a7f48e478a 0.113330359 1.1127e-07 4 1000612.8\n","run":"20260201-021700-nightly"}');
INSERT INTO "event" VALUES('e2b83ba847472494',10,'2026-02-08T02:17:01Z','ann@box','fired','A1','','suspect','step_ns +12.0 % (robust_z 21)','{"change":0.12000192045780295,"experiment":"nightly","first_bad":"20260208-021700-nightly","host":"box","last_good":"20260207-021700-nightly","night":"20260208-021700-nightly","night_utc":"2026-02-08T02:17:00Z","score":21.20217641518516,"series":"c27b596a754c989a","usual":3001837.7991939066,"value":3362064.0999999996,"worse":true}');
INSERT INTO "event" VALUES('47bc72239756935e',11,'2026-02-08T02:17:01Z','ann@box','fired','A1','suspect','suspect','step_ns +12.0 % (robust_z 21)','{"change":0.12000187453772515,"experiment":"nightly","first_bad":"20260208-021700-nightly","host":"box","last_good":"20260207-021700-nightly","night":"20260208-021700-nightly","night_utc":"2026-02-08T02:17:00Z","score":21.202168744154623,"series":"2d52a4a7f48e478a","usual":1000612.6109945647,"value":1120688.0,"worse":true}');
INSERT INTO "event" VALUES('6904dba0dbd6b952',12,'2026-02-08T02:17:01Z','ann@box','campaign-claimed','','','','','{"claim":"confirm 20260208-021700-nightly 92cd9273b686d3e7","claimant":"ann@box on box #29524.274568"}');
INSERT INTO "event" VALUES('3096421ed86dab1e',13,'2026-02-08T02:17:01Z','ann@box','campaign-claimed','','','','','{"claim":"confirm 20260208-021700-nightly b681b396111dd178","claimant":"ann@box on box #29524.274568"}');
INSERT INTO "event" VALUES('454072251abcd08f',14,'2026-02-08T02:17:02Z','ann@box','campaign-begun','','','','','{"campaign":"/nights/results/20260208-021702-nightly-confirm","night":"20260208-021700-nightly","question":"dd06d63d123315ec"}');
INSERT INTO "event" VALUES('4f83d64fc6612c18',15,'2026-02-08T02:17:12Z','ann@box','campaign-ended','','','','','{"campaign":"/nights/results/20260208-021702-nightly-confirm","judged":true,"night":"20260208-021700-nightly","question":"dd06d63d123315ec"}');
INSERT INTO "event" VALUES('b864d61235ec6839',16,'2026-02-08T02:17:12Z','ann@box','campaign-begun','','','','','{"campaign":"/nights/results/20260208-021712-nightly-confirm","night":"20260208-021700-nightly","question":"520dfbe654295bb2"}');
INSERT INTO "event" VALUES('4d156ed4381cb571',17,'2026-02-08T02:17:22Z','ann@box','campaign-ended','','','','','{"campaign":"/nights/results/20260208-021712-nightly-confirm","judged":true,"night":"20260208-021700-nightly","question":"520dfbe654295bb2"}');
INSERT INTO "event" VALUES('4f086a5db7e1b13a',18,'2026-02-08T02:17:01Z','ann@box','measured','A1','suspect','suspect','','{"builds":"aaf5e7c8faa4f3f9 f0e3bf96a5d36e30","campaign":"/nights/results/20260208-021702-nightly-confirm","cause":"","change":0.12000197531083218,"experiment":"nightly","good":"20260207-021700-nightly","high":0.12000202618939433,"host":"box","low":0.12000192289395753,"night":"20260208-021700-nightly","night_utc":"2026-02-08T02:17:00Z","p":9.5367431640625e-07,"pairs":20,"reproduced":true,"series":"c27b596a754c989a"}');
INSERT INTO "event" VALUES('e18710cd62f8037e',19,'2026-02-08T02:17:01Z','ann@box','measured','A1','suspect','suspect','','{"builds":"aaf5e7c8faa4f3f9 f0e3bf96a5d36e30","campaign":"/nights/results/20260208-021712-nightly-confirm","cause":"backward +144 us, 40.0 % of the change; forward +108 us, 30.0 % of the change","change":0.12000197531083218,"experiment":"nightly","good":"20260207-021700-nightly","high":0.12000202618939433,"host":"box","low":0.12000192289395753,"night":"20260208-021700-nightly","night_utc":"2026-02-08T02:17:00Z","p":9.5367431640625e-07,"pairs":20,"reproduced":true,"series":"c27b596a754c989a"}');
INSERT INTO "event" VALUES('3faa054b513492a1',20,'2026-02-08T02:17:01Z','ann@box','measured','A1','suspect','suspect','','{"builds":"aaf5e7c8faa4f3f9 f0e3bf96a5d36e30","campaign":"/nights/results/20260208-021702-nightly-confirm","cause":"","change":0.12000204990073472,"experiment":"nightly","good":"20260207-021700-nightly","high":0.12000217369366846,"host":"box","low":0.12000192238633133,"night":"20260208-021700-nightly","night_utc":"2026-02-08T02:17:00Z","p":9.5367431640625e-07,"pairs":20,"reproduced":true,"series":"2d52a4a7f48e478a"}');
INSERT INTO "event" VALUES('3ce3cd17a81b8eab',21,'2026-02-08T02:17:01Z','ann@box','measured','A1','suspect','suspect','','{"builds":"aaf5e7c8faa4f3f9 f0e3bf96a5d36e30","campaign":"/nights/results/20260208-021712-nightly-confirm","cause":"backward +48.0 us, 40.0 % of the change; forward +36.0 us, 30.0 % of the change","change":0.12000204990073472,"experiment":"nightly","good":"20260207-021700-nightly","high":0.12000217369366846,"host":"box","low":0.12000192238633133,"night":"20260208-021700-nightly","night_utc":"2026-02-08T02:17:00Z","p":9.5367431640625e-07,"pairs":20,"reproduced":true,"series":"2d52a4a7f48e478a"}');
INSERT INTO "event" VALUES('30fed7d00a84ad4e',22,'2026-02-08T02:17:01Z','ann@box','confirmed','A1','suspect','regression','','{"experiment":"nightly","host":"box","night":"20260208-021700-nightly","night_utc":"2026-02-08T02:17:00Z"}');
INSERT INTO "event" VALUES('f803fed6dac5afea',23,'2026-02-09T02:17:01Z','ann@box','reference','','','','','{"build":"b1846756afb7e0aa","experiment":"nightly","host":"box","night":"20260209-021700-nightly","night_utc":"2026-02-09T02:17:00Z","ratios":"3e5100f691930da0 0.00356518462 0.0032821 4 5986304\nc27b596a754c989a 0.113326921 8.5814e-08 4 2993440.4\n65238cd12f3e04e3 0.00409334157 0.0048389 4 5994496\n2d52a4a7f48e478a 0.113327021 1.2634e-07 4 997813.3\n","run":"20260201-021700-nightly"}');
CREATE TABLE launch (run_id TEXT NOT NULL REFERENCES run, case_id TEXT NOT NULL, arm TEXT NOT NULL, pass TEXT NOT NULL, launch BIGINT NOT NULL, rank BIGINT NOT NULL, attempt BIGINT NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL, steps BIGINT NOT NULL, cohort TEXT NOT NULL, line_digest TEXT NOT NULL, PRIMARY KEY (run_id, case_id, arm, pass, launch, rank)) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO "meta" VALUES('schema_version','2');
CREATE TABLE point (run_id TEXT NOT NULL REFERENCES run, series_id TEXT NOT NULL REFERENCES series, value DOUBLE PRECISION NOT NULL, n BIGINT NOT NULL, steps BIGINT NOT NULL, low DOUBLE PRECISION NOT NULL, high DOUBLE PRECISION NOT NULL, control DOUBLE PRECISION, cohort_id TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (run_id, series_id)) WITHOUT ROWID;
INSERT INTO "point" VALUES('20260201-021700-nightly','2d52a4a7f48e478a',999683.3,8,5,998901.0,1000233.6,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','2e236eea2d87bad8',149954.5,8,5,149954.5,149954.5,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','38739f4a1389c3e5',4.99853999999999941807e+04,8,5,4.99853999999999941807e+04,4.99853999999999941807e+04,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','3e5100f691930da0',6010880.0,8,5,5971968.0,6041600.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','603164d1ed39affc',899714.4,8,5,899714.4,899714.4,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','65238cd12f3e04e3',5918720.0,8,5,5861376.0,6045696.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','72c8acce0bccb70c',299904.6,8,5,299904.6,299904.6,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','73827b72dfe12cd8',1199619.7,8,5,1199619.7,1199619.7,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','7c55714fd330d28e',149952.0,8,5,149952.0,149952.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','82323a9bf3dc4ad1',399873.1,8,5,399873.1,399873.1,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','a73f9448335f4659',1.99936400000000023286e+05,8,5,1.99936400000000023286e+05,1.99936400000000023286e+05,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','b5957d5280e29234',49983.8,8,5,49983.8,49983.8,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','b972063d045e2fcf',599809.6,8,5,599809.6,599809.6,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260201-021700-nightly','c27b596a754c989a',2999050.2,8,5,2996703.2,3000701.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','2d52a4a7f48e478a',1000812.5,4,5,1000812.5,1000812.5,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','2e236eea2d87bad8',150123.7,4,5,150123.7,150123.7,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','38739f4a1389c3e5',5.00423999999999941784e+04,4,5,5.00423999999999941784e+04,5.00423999999999941784e+04,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','3e5100f691930da0',6062080.0,4,5,6062080.0,6062080.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','603164d1ed39affc',900730.5,4,5,900730.5,900730.5,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','65238cd12f3e04e3',5982208.0,4,5,5982208.0,5982208.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','72c8acce0bccb70c',300243.2,4,5,300243.2,300243.2,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','73827b72dfe12cd8',1200974.7,4,5,1200974.7,1200974.7,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','7c55714fd330d28e',150121.4,4,5,150121.4,150121.4,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','82323a9bf3dc4ad1',400324.6,4,5,400324.6,400324.6,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','a73f9448335f4659',200162.1,4,5,200162.1,200162.1,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','b5957d5280e29234',50040.2,4,5,50040.2,50040.2,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','b972063d045e2fcf',600487.2,4,5,600487.2,600487.2,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260202-021700-nightly','c27b596a754c989a',3002437.5,4,5,3002437.5,3002437.5,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','2d52a4a7f48e478a',9.98912899999999906886e+05,4,5,9.98912899999999906886e+05,9.98912899999999906886e+05,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','2e236eea2d87bad8',149838.7,4,5,149838.7,149838.7,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','38739f4a1389c3e5',4.99473999999999941808e+04,4,5,4.99473999999999941808e+04,4.99473999999999941808e+04,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','3e5100f691930da0',5902336.0,4,5,5902336.0,5902336.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','603164d1ed39affc',899021.2,4,5,899021.2,899021.2,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','65238cd12f3e04e3',6047744.0,4,5,6047744.0,6047744.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','72c8acce0bccb70c',2.99673300000000046566e+05,4,5,2.99673300000000046566e+05,2.99673300000000046566e+05,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','73827b72dfe12cd8',1198695.6,4,5,1198695.6,1198695.6,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','7c55714fd330d28e',149836.4,4,5,149836.4,149836.4,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','82323a9bf3dc4ad1',399564.9,4,5,399564.9,399564.9,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','a73f9448335f4659',199782.1,4,5,199782.1,199782.1,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','b5957d5280e29234',49945.2,4,5,49945.2,49945.2,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','b972063d045e2fcf',5.99347600000000093126e+05,4,5,5.99347600000000093126e+05,5.99347600000000093126e+05,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260203-021700-nightly','c27b596a754c989a',2996739.5,4,5,2996739.5,2996739.5,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','2d52a4a7f48e478a',1000212.8,4,5,1000212.8,1000212.8,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','2e236eea2d87bad8',150033.7,4,5,150033.7,150033.7,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','38739f4a1389c3e5',5.00123999999999941778e+04,4,5,5.00123999999999941778e+04,5.00123999999999941778e+04,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','3e5100f691930da0',6072320.0,4,5,6072320.0,6072320.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','603164d1ed39affc',900190.8,4,5,900190.8,900190.8,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','65238cd12f3e04e3',5974016.0,4,5,5974016.0,5974016.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','72c8acce0bccb70c',3.00063300000000046565e+05,4,5,3.00063300000000046565e+05,3.00063300000000046565e+05,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','73827b72dfe12cd8',1200254.9,4,5,1200254.9,1200254.9,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','7c55714fd330d28e',150031.4,4,5,150031.4,150031.4,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','82323a9bf3dc4ad1',400084.8,4,5,400084.8,400084.8,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','a73f9448335f4659',200042.1,4,5,200042.1,200042.1,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','b5957d5280e29234',50010.2,4,5,50010.2,50010.2,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','b972063d045e2fcf',600127.3,4,5,600127.3,600127.3,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260204-021700-nightly','c27b596a754c989a',3000638.1,4,5,3000638.1,3000638.1,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','2d52a4a7f48e478a',998413.0,4,5,998413.0,998413.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','2e236eea2d87bad8',149763.7,4,5,149763.7,149763.7,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','38739f4a1389c3e5',4.99223999999999941802e+04,4,5,4.99223999999999941802e+04,4.99223999999999941802e+04,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','3e5100f691930da0',6017024.0,4,5,6017024.0,6017024.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','603164d1ed39affc',898571.5,4,5,898571.5,898571.5,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','65238cd12f3e04e3',5959680.0,4,5,5959680.0,5959680.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','72c8acce0bccb70c',299523.4,4,5,299523.4,299523.4,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','73827b72dfe12cd8',1198095.6,4,5,1198095.6,1198095.6,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','7c55714fd330d28e',149761.4,4,5,149761.4,149761.4,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','82323a9bf3dc4ad1',399365.0,4,5,399365.0,399365.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','a73f9448335f4659',199682.0,4,5,199682.0,199682.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','b5957d5280e29234',49920.2,4,5,49920.2,49920.2,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','b972063d045e2fcf',599047.5,4,5,599047.5,599047.5,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260205-021700-nightly','c27b596a754c989a',2995239.7,4,5,2995239.7,2995239.7,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','2d52a4a7f48e478a',1001512.3,4,5,1001512.3,1001512.3,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','2e236eea2d87bad8',150228.8,4,5,150228.8,150228.8,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','38739f4a1389c3e5',5.00773999999999941791e+04,4,5,5.00773999999999941791e+04,5.00773999999999941791e+04,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','3e5100f691930da0',5951488.0,4,5,5951488.0,5951488.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','603164d1ed39affc',901360.5,4,5,901360.5,901360.5,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','65238cd12f3e04e3',5955584.0,4,5,5955584.0,5955584.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','72c8acce0bccb70c',300453.1,4,5,300453.1,300453.1,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','73827b72dfe12cd8',1201814.5,4,5,1201814.5,1201814.5,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','7c55714fd330d28e',150226.5,4,5,150226.5,150226.5,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','82323a9bf3dc4ad1',400604.6,4,5,400604.6,400604.6,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','a73f9448335f4659',200302.0,4,5,200302.0,200302.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','b5957d5280e29234',50075.2,4,5,50075.2,50075.2,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','b972063d045e2fcf',6.00906899999999906869e+05,4,5,6.00906899999999906869e+05,6.00906899999999906869e+05,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260206-021701-nightly','c27b596a754c989a',3004537.2,4,5,3004537.2,3004537.2,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','2d52a4a7f48e478a',999312.8,4,5,999312.8,999312.8,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','2e236eea2d87bad8',149898.7,4,5,149898.7,149898.7,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','38739f4a1389c3e5',4.99673999999999941812e+04,4,5,4.99673999999999941812e+04,4.99673999999999941812e+04,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','3e5100f691930da0',5978112.0,4,5,5978112.0,5978112.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','603164d1ed39affc',8.99381100000000093148e+05,4,5,8.99381100000000093148e+05,8.99381100000000093148e+05,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','65238cd12f3e04e3',5978112.0,4,5,5978112.0,5978112.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','72c8acce0bccb70c',2.99793300000000046568e+05,4,5,2.99793300000000046568e+05,2.99793300000000046568e+05,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','73827b72dfe12cd8',1.19917529999999981373e+06,4,5,1.19917529999999981373e+06,1.19917529999999981373e+06,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','7c55714fd330d28e',149896.4,4,5,149896.4,149896.4,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','82323a9bf3dc4ad1',399724.8,4,5,399724.8,399724.8,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','a73f9448335f4659',199862.1,4,5,199862.1,199862.1,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','b5957d5280e29234',49965.2,4,5,49965.2,49965.2,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','b972063d045e2fcf',5.99587399999999906856e+05,4,5,5.99587399999999906856e+05,5.99587399999999906856e+05,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260207-021700-nightly','c27b596a754c989a',2.99793890000000037253e+06,4,5,2.99793890000000037253e+06,2.99793890000000037253e+06,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','2d52a4a7f48e478a',1120688.0,4,5,1120688.0,1120688.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','2e236eea2d87bad8',168105.3,4,5,168105.3,168105.3,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','38739f4a1389c3e5',56036.4,4,5,56036.4,56036.4,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','3e5100f691930da0',6062080.0,4,5,6062080.0,6062080.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','603164d1ed39affc',1.00861839999999990688e+06,4,5,1.00861839999999990688e+06,1.00861839999999990688e+06,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','65238cd12f3e04e3',5947392.0,4,5,5947392.0,5947392.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','72c8acce0bccb70c',336205.9,4,5,336205.9,336205.9,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','73827b72dfe12cd8',1344825.4,4,5,1344825.4,1344825.4,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','7c55714fd330d28e',168102.6,4,5,168102.6,168102.6,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','82323a9bf3dc4ad1',448274.7,4,5,448274.7,448274.7,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','a73f9448335f4659',224137.1,4,5,224137.1,224137.1,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','b5957d5280e29234',5.60338999999999941813e+04,4,5,5.60338999999999941813e+04,5.60338999999999941813e+04,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','b972063d045e2fcf',6.72412399999999906875e+05,4,5,6.72412399999999906875e+05,6.72412399999999906875e+05,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260208-021700-nightly','c27b596a754c989a',3.3620640999999996275e+06,4,5,3.3620640999999996275e+06,3.3620640999999996275e+06,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','2d52a4a7f48e478a',1117549.0,4,5,1117549.0,1117549.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','2e236eea2d87bad8',167634.3,4,5,167634.3,167634.3,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','38739f4a1389c3e5',5.58793999999999941794e+04,4,5,5.58793999999999941794e+04,5.58793999999999941794e+04,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','3e5100f691930da0',6033408.0,4,5,6033408.0,6033408.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','603164d1ed39affc',1005793.5,4,5,1005793.5,1005793.5,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','65238cd12f3e04e3',6047744.0,4,5,6047744.0,6047744.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','72c8acce0bccb70c',335264.1,4,5,335264.1,335264.1,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','73827b72dfe12cd8',1341058.4,4,5,1341058.4,1341058.4,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','7c55714fd330d28e',167631.8,4,5,167631.8,167631.8,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','82323a9bf3dc4ad1',447019.2,4,5,447019.2,447019.2,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','a73f9448335f4659',223509.3,4,5,223509.3,223509.3,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','b5957d5280e29234',55877.0,4,5,55877.0,55877.0,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','b972063d045e2fcf',670529.2,4,5,670529.2,670529.2,NULL,'0817637e6deb96e5','');
INSERT INTO "point" VALUES('20260209-021700-nightly','c27b596a754c989a',3352647.2,4,5,3352647.2,3352647.2,NULL,'0817637e6deb96e5','');
CREATE TABLE run (run_id TEXT PRIMARY KEY, started_at TEXT NOT NULL, name TEXT NOT NULL, build_id TEXT NOT NULL, git_sha TEXT NOT NULL, git_branch TEXT NOT NULL, git_dirty BIGINT NOT NULL, config_hash TEXT NOT NULL, plan_digest TEXT NOT NULL, host TEXT NOT NULL, folder TEXT NOT NULL, worker_path TEXT NOT NULL, config_path TEXT NOT NULL, config_text TEXT NOT NULL, asked TEXT NOT NULL, labels TEXT NOT NULL, context TEXT NOT NULL, environment TEXT NOT NULL);
INSERT INTO "run" VALUES('20260201-021700-nightly','2026-02-01T02:17:00Z','nightly','b1846756afb7e0aa','5499e12f407e9b23be810b22edff0c094e3351fd','main',0,'26e578146b092b70','1bb059b2f825bad4','box','results/20260201-021700-nightly','/nights/built-02-01','nightly.yaml','name: nightly
workload: stub
launches: 8
schedule: {wait: 0, warmup: 1, active: 5}
stub: {jitter: 0.002}
sweep:
  include:
    - {stub.step_us: 1000}
    - {stub.step_us: 3000}
','{"folder":"/nights","set":[],"sweep":[],"filter":[],"cases":[],"worker":"/nights/built-02-01"}','{}','{"data_digest":"","shard":"1of1","track.busy.92cd9273b686d3e7.waited_for_cpu":0.7088131994727345,"track.busy.b681b396111dd178.waited_for_cpu":0.5364770258492673}','{"aslr":true,"clock":"scripted","cpu.affinity":"0-1","cpu.cores":2,"cpu.logical":2,"cpu.model":"AMD EPYC","cpu.smt":"notsupported","env.CUDA_HOME":"/usr/local/cuda","env.LD_PRELOAD":"/usr/lib/dated.so","gpu.count":0,"host":"box","kernel":"6.18.44-fc-v782","memory.bytes":25276063744,"memory.thp":"madvise","numa.nodes":"0","os":"Debian GNU/Linux 12 (bookworm)","stub":"1","torch":"2.10.0"}');
INSERT INTO "run" VALUES('20260202-021700-nightly','2026-02-02T02:17:00Z','nightly','95fadef39edf0124','5499e12f407e9b23be810b22edff0c094e3351fd','main',0,'26e578146b092b70','1bb059b2f825bad4','box','results/20260202-021700-nightly','/nights/built-02-02','nightly.yaml','name: nightly
workload: stub
launches: 8
schedule: {wait: 0, warmup: 1, active: 5}
stub: {jitter: 0.002}
sweep:
  include:
    - {stub.step_us: 1000}
    - {stub.step_us: 3000}
','{"folder":"/nights","set":[],"sweep":[],"filter":[],"cases":[],"worker":"/nights/built-02-02"}','{}','{"data_digest":"","reference_build_id":"b1846756afb7e0aa","reference_run":"20260201-021700-nightly","shard":"1of1","track.busy.92cd9273b686d3e7.waited_for_cpu":0.7379276973412732,"track.busy.b681b396111dd178.waited_for_cpu":0.5459623448150509}','{"aslr":true,"clock":"scripted","cpu.affinity":"0-1","cpu.cores":2,"cpu.logical":2,"cpu.model":"AMD EPYC","cpu.smt":"notsupported","env.CUDA_HOME":"/usr/local/cuda","env.LD_PRELOAD":"/usr/lib/dated.so","gpu.count":0,"host":"box","kernel":"6.18.44-fc-v782","memory.bytes":25276063744,"memory.thp":"madvise","numa.nodes":"0","os":"Debian GNU/Linux 12 (bookworm)","stub":"1","torch":"2.10.0"}');
INSERT INTO "run" VALUES('20260203-021700-nightly','2026-02-03T02:17:00Z','nightly','6361e056e401bfb9','5499e12f407e9b23be810b22edff0c094e3351fd','main',0,'26e578146b092b70','1bb059b2f825bad4','box','results/20260203-021700-nightly','/nights/built-02-03','nightly.yaml','name: nightly
workload: stub
launches: 8
schedule: {wait: 0, warmup: 1, active: 5}
stub: {jitter: 0.002}
sweep:
  include:
    - {stub.step_us: 1000}
    - {stub.step_us: 3000}
','{"folder":"/nights","set":[],"sweep":[],"filter":[],"cases":[],"worker":"/nights/built-02-03"}','{}','{"data_digest":"","reference_build_id":"b1846756afb7e0aa","reference_run":"20260201-021700-nightly","shard":"1of1","track.busy.92cd9273b686d3e7.waited_for_cpu":0.7569350905443599,"track.busy.b681b396111dd178.waited_for_cpu":0.8512015288831614}','{"aslr":true,"clock":"scripted","cpu.affinity":"0-1","cpu.cores":2,"cpu.logical":2,"cpu.model":"AMD EPYC","cpu.smt":"notsupported","env.CUDA_HOME":"/usr/local/cuda","env.LD_PRELOAD":"/usr/lib/dated.so","gpu.count":0,"host":"box","kernel":"6.18.44-fc-v782","memory.bytes":25276063744,"memory.thp":"madvise","numa.nodes":"0","os":"Debian GNU/Linux 12 (bookworm)","stub":"1","torch":"2.10.0"}');
INSERT INTO "run" VALUES('20260204-021700-nightly','2026-02-04T02:17:00Z','nightly','fa3ade92c3f504f8','5499e12f407e9b23be810b22edff0c094e3351fd','main',0,'26e578146b092b70','1bb059b2f825bad4','box','results/20260204-021700-nightly','/nights/built-02-04','nightly.yaml','name: nightly
workload: stub
launches: 8
schedule: {wait: 0, warmup: 1, active: 5}
stub: {jitter: 0.002}
sweep:
  include:
    - {stub.step_us: 1000}
    - {stub.step_us: 3000}
','{"folder":"/nights","set":[],"sweep":[],"filter":[],"cases":[],"worker":"/nights/built-02-04"}','{}','{"data_digest":"","reference_build_id":"b1846756afb7e0aa","reference_run":"20260201-021700-nightly","shard":"1of1","track.busy.92cd9273b686d3e7.waited_for_cpu":0.7482185250028393,"track.busy.b681b396111dd178.waited_for_cpu":0.6228126348222708}','{"aslr":true,"clock":"scripted","cpu.affinity":"0-1","cpu.cores":2,"cpu.logical":2,"cpu.model":"AMD EPYC","cpu.smt":"notsupported","env.CUDA_HOME":"/usr/local/cuda","env.LD_PRELOAD":"/usr/lib/dated.so","gpu.count":0,"host":"box","kernel":"6.18.44-fc-v782","memory.bytes":25276063744,"memory.thp":"madvise","numa.nodes":"0","os":"Debian GNU/Linux 12 (bookworm)","stub":"1","torch":"2.10.0"}');
INSERT INTO "run" VALUES('20260205-021700-nightly','2026-02-05T02:17:00Z','nightly','e957049bf0be403d','5499e12f407e9b23be810b22edff0c094e3351fd','main',0,'26e578146b092b70','1bb059b2f825bad4','box','results/20260205-021700-nightly','/nights/built-02-05','nightly.yaml','name: nightly
workload: stub
launches: 8
schedule: {wait: 0, warmup: 1, active: 5}
stub: {jitter: 0.002}
sweep:
  include:
    - {stub.step_us: 1000}
    - {stub.step_us: 3000}
','{"folder":"/nights","set":[],"sweep":[],"filter":[],"cases":[],"worker":"/nights/built-02-05"}','{}','{"data_digest":"","reference_build_id":"b1846756afb7e0aa","reference_run":"20260201-021700-nightly","shard":"1of1","track.busy.92cd9273b686d3e7.waited_for_cpu":0.7678085676771579,"track.busy.b681b396111dd178.waited_for_cpu":0.6881363770891652}','{"aslr":true,"clock":"scripted","cpu.affinity":"0-1","cpu.cores":2,"cpu.logical":2,"cpu.model":"AMD EPYC","cpu.smt":"notsupported","env.CUDA_HOME":"/usr/local/cuda","env.LD_PRELOAD":"/usr/lib/dated.so","gpu.count":0,"host":"box","kernel":"6.18.44-fc-v782","memory.bytes":25276063744,"memory.thp":"madvise","numa.nodes":"0","os":"Debian GNU/Linux 12 (bookworm)","stub":"1","torch":"2.10.0"}');
INSERT INTO "run" VALUES('20260206-021701-nightly','2026-02-06T02:17:01Z','nightly','69740ce78628dbb8','5499e12f407e9b23be810b22edff0c094e3351fd','main',0,'26e578146b092b70','1bb059b2f825bad4','box','results/20260206-021701-nightly','/nights/built-02-06','nightly.yaml','name: nightly
workload: stub
launches: 8
schedule: {wait: 0, warmup: 1, active: 5}
stub: {jitter: 0.002}
sweep:
  include:
    - {stub.step_us: 1000}
    - {stub.step_us: 3000}
','{"folder":"/nights","set":[],"sweep":[],"filter":[],"cases":[],"worker":"/nights/built-02-06"}','{}','{"data_digest":"","reference_build_id":"b1846756afb7e0aa","reference_run":"20260201-021700-nightly","shard":"1of1","track.busy.92cd9273b686d3e7.waited_for_cpu":0.7321181603197935,"track.busy.b681b396111dd178.waited_for_cpu":0.7060629189597688}','{"aslr":true,"clock":"scripted","cpu.affinity":"0-1","cpu.cores":2,"cpu.logical":2,"cpu.model":"AMD EPYC","cpu.smt":"notsupported","env.CUDA_HOME":"/usr/local/cuda","env.LD_PRELOAD":"/usr/lib/dated.so","gpu.count":0,"host":"box","kernel":"6.18.44-fc-v782","memory.bytes":25276063744,"memory.thp":"madvise","numa.nodes":"0","os":"Debian GNU/Linux 12 (bookworm)","stub":"1","torch":"2.10.0"}');
INSERT INTO "run" VALUES('20260207-021700-nightly','2026-02-07T02:17:00Z','nightly','aaf5e7c8faa4f3f9','5499e12f407e9b23be810b22edff0c094e3351fd','main',0,'26e578146b092b70','1bb059b2f825bad4','box','results/20260207-021700-nightly','/nights/built-02-07','nightly.yaml','name: nightly
workload: stub
launches: 8
schedule: {wait: 0, warmup: 1, active: 5}
stub: {jitter: 0.002}
sweep:
  include:
    - {stub.step_us: 1000}
    - {stub.step_us: 3000}
','{"folder":"/nights","set":[],"sweep":[],"filter":[],"cases":[],"worker":"/nights/built-02-07"}','{}','{"data_digest":"","reference_build_id":"b1846756afb7e0aa","reference_run":"20260201-021700-nightly","shard":"1of1","track.busy.92cd9273b686d3e7.waited_for_cpu":0.22087881299904205,"track.busy.b681b396111dd178.waited_for_cpu":0.1665058151249472}','{"aslr":true,"clock":"scripted","cpu.affinity":"0-1","cpu.cores":2,"cpu.logical":2,"cpu.model":"AMD EPYC","cpu.smt":"notsupported","env.CUDA_HOME":"/usr/local/cuda","env.LD_PRELOAD":"/usr/lib/dated.so","gpu.count":0,"host":"box","kernel":"6.18.44-fc-v782","memory.bytes":25276063744,"memory.thp":"madvise","numa.nodes":"0","os":"Debian GNU/Linux 12 (bookworm)","stub":"1","torch":"2.10.0"}');
INSERT INTO "run" VALUES('20260208-021700-nightly','2026-02-08T02:17:00Z','nightly','f0e3bf96a5d36e30','5499e12f407e9b23be810b22edff0c094e3351fd','main',0,'26e578146b092b70','1bb059b2f825bad4','box','results/20260208-021700-nightly','/nights/built-02-08','nightly.yaml','name: nightly
workload: stub
launches: 8
schedule: {wait: 0, warmup: 1, active: 5}
stub: {jitter: 0.002}
sweep:
  include:
    - {stub.step_us: 1000}
    - {stub.step_us: 3000}
','{"folder":"/nights","set":[],"sweep":[],"filter":[],"cases":[],"worker":"/nights/built-02-08"}','{}','{"data_digest":"","reference_build_id":"b1846756afb7e0aa","reference_run":"20260201-021700-nightly","shard":"1of1","track.busy.92cd9273b686d3e7.waited_for_cpu":0.6286419136140458,"track.busy.b681b396111dd178.waited_for_cpu":0.7367453491975022}','{"aslr":true,"clock":"scripted","cpu.affinity":"0-1","cpu.cores":2,"cpu.logical":2,"cpu.model":"AMD EPYC","cpu.smt":"notsupported","env.CUDA_HOME":"/usr/local/cuda","env.LD_PRELOAD":"/usr/lib/dated.so","gpu.count":0,"host":"box","kernel":"6.18.44-fc-v782","memory.bytes":25276063744,"memory.thp":"madvise","numa.nodes":"0","os":"Debian GNU/Linux 12 (bookworm)","stub":"1","torch":"2.10.0"}');
INSERT INTO "run" VALUES('20260209-021700-nightly','2026-02-09T02:17:00Z','nightly','8918c340fcdaddee','5499e12f407e9b23be810b22edff0c094e3351fd','main',0,'26e578146b092b70','1bb059b2f825bad4','box','results/20260209-021700-nightly','/nights/built-02-09','nightly.yaml','name: nightly
workload: stub
launches: 8
schedule: {wait: 0, warmup: 1, active: 5}
stub: {jitter: 0.002}
sweep:
  include:
    - {stub.step_us: 1000}
    - {stub.step_us: 3000}
','{"folder":"/nights","set":[],"sweep":[],"filter":[],"cases":[],"worker":"/nights/built-02-09"}','{}','{"data_digest":"","reference_build_id":"b1846756afb7e0aa","reference_run":"20260201-021700-nightly","shard":"1of1","track.busy.92cd9273b686d3e7.waited_for_cpu":0.45284302971767265,"track.busy.b681b396111dd178.waited_for_cpu":0.2932537928567265}','{"aslr":true,"clock":"scripted","cpu.affinity":"0-1","cpu.cores":2,"cpu.logical":2,"cpu.model":"AMD EPYC","cpu.smt":"notsupported","env.CUDA_HOME":"/usr/local/cuda","env.LD_PRELOAD":"/usr/lib/dated.so","gpu.count":0,"host":"box","kernel":"6.18.44-fc-v782","memory.bytes":25276063744,"memory.thp":"madvise","numa.nodes":"0","os":"Debian GNU/Linux 12 (bookworm)","stub":"1","torch":"2.10.0"}');
CREATE TABLE sample_summary (run_id TEXT NOT NULL, case_id TEXT NOT NULL, launch BIGINT NOT NULL, metric TEXT NOT NULL, value DOUBLE PRECISION NOT NULL, PRIMARY KEY (run_id, case_id, launch, metric)) WITHOUT ROWID;
CREATE TABLE series (series_id TEXT PRIMARY KEY, workload TEXT NOT NULL, case_id TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL, direction TEXT NOT NULL, options TEXT NOT NULL, machine TEXT NOT NULL, first_seen TEXT NOT NULL);
INSERT INTO "series" VALUES('2d52a4a7f48e478a','stub','b681b396111dd178','step_ns','ns','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":1000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('2e236eea2d87bad8','stub','92cd9273b686d3e7','phase.other','ns','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":3000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('38739f4a1389c3e5','stub','b681b396111dd178','phase.other','ns','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":1000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('3e5100f691930da0','stub','92cd9273b686d3e7','peak_bytes','bytes','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":3000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","peak_bytes":"tree_peak_pss_bytes","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('603164d1ed39affc','stub','92cd9273b686d3e7','phase.forward','ns','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":3000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('65238cd12f3e04e3','stub','b681b396111dd178','peak_bytes','bytes','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":1000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","peak_bytes":"tree_peak_pss_bytes","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('72c8acce0bccb70c','stub','b681b396111dd178','phase.forward','ns','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":1000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('73827b72dfe12cd8','stub','92cd9273b686d3e7','phase.backward','ns','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":3000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('7c55714fd330d28e','stub','92cd9273b686d3e7','phase.optimizer','ns','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":3000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('82323a9bf3dc4ad1','stub','b681b396111dd178','phase.backward','ns','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":1000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('a73f9448335f4659','stub','b681b396111dd178','phase.data_wait','ns','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":1000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('b5957d5280e29234','stub','b681b396111dd178','phase.optimizer','ns','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":1000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('b972063d045e2fcf','stub','92cd9273b686d3e7','phase.data_wait','ns','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":3000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","track.version":1}','2026-02-01T02:17:00Z');
INSERT INTO "series" VALUES('c27b596a754c989a','stub','92cd9273b686d3e7','step_ns','ns','lower','{"device":"cpu","stub.at_step":0,"stub.behaviour":"ok","stub.clock":"virtual","stub.epoch_gap_us":500.0,"stub.epoch_steps":0,"stub.finding_launches":0,"stub.jitter":0.002,"stub.loss":0.5,"stub.of_rank":-1,"stub.phases":"data_wait=20,forward=30,backward=40,optimizer=5","stub.samples":32,"stub.set_up_us":2000.0,"stub.slow_launches":0.0,"stub.slow_rank":-1,"stub.slow_rank_us":100.0,"stub.slow_steps":0,"stub.step_us":3000.0,"stub.tail_every":0,"stub.tail_us":2000.0}','{"cpu.model":"AMD EPYC","track.version":1}','2026-02-01T02:17:00Z');
CREATE INDEX point_of_series ON point (series_id, run_id);
CREATE INDEX event_of_alert ON event (alert_id);
CREATE VIEW alert AS SELECT a.alert_id AS alert_id, (SELECT x.to_state FROM event x WHERE x.alert_id = a.alert_id AND x.to_state <> '' ORDER BY x.seq DESC, x.event_id DESC LIMIT 1) AS state, (SELECT CASE WHEN CAST((x.details ->> 'worse') AS TEXT) IN ('1', 'true') THEN 1 ELSE 0 END FROM event x WHERE x.alert_id = a.alert_id ORDER BY x.seq ASC, x.event_id ASC LIMIT 1) AS worse, (SELECT CAST((x.details ->> 'host') AS TEXT) FROM event x WHERE x.alert_id = a.alert_id ORDER BY x.seq ASC, x.event_id ASC LIMIT 1) AS host, (SELECT CAST((x.details ->> 'experiment') AS TEXT) FROM event x WHERE x.alert_id = a.alert_id ORDER BY x.seq ASC, x.event_id ASC LIMIT 1) AS experiment, (SELECT CAST((x.details ->> 'night_utc') AS TEXT) FROM event x WHERE x.alert_id = a.alert_id ORDER BY x.seq ASC, x.event_id ASC LIMIT 1) AS opened_utc, MAX(a.at) AS changed_at, COUNT(DISTINCT CASE WHEN a.what = 'fired' THEN CAST((a.details ->> 'series') AS TEXT) END) AS series, (SELECT x.reason FROM event x WHERE x.alert_id = a.alert_id AND x.reason <> '' ORDER BY x.seq DESC, x.event_id DESC LIMIT 1) AS reason, (SELECT CAST((x.details ->> 'to') AS TEXT) FROM event x WHERE x.alert_id = a.alert_id AND x.what = 'assigned' ORDER BY x.seq DESC, x.event_id DESC LIMIT 1) AS assignee FROM event a WHERE a.alert_id <> '' GROUP BY a.alert_id;
CREATE VIEW alert_series AS SELECT a.alert_id AS alert_id, CAST((a.details ->> 'series') AS TEXT) AS series_id, CAST((a.details ->> 'first_bad') AS TEXT) AS first_bad, CAST((a.details ->> 'last_good') AS TEXT) AS last_good, CAST(CAST((a.details ->> 'usual') AS TEXT) AS DOUBLE PRECISION) AS usual, CAST(CAST((a.details ->> 'value') AS TEXT) AS DOUBLE PRECISION) AS value, CAST(CAST((a.details ->> 'change') AS TEXT) AS DOUBLE PRECISION) AS change, (SELECT CAST(CAST((m.details ->> 'change') AS TEXT) AS DOUBLE PRECISION) FROM event m WHERE m.alert_id = a.alert_id AND m.what = 'measured' AND CAST((m.details ->> 'series') AS TEXT) = CAST((a.details ->> 'series') AS TEXT) ORDER BY m.seq DESC, m.event_id DESC LIMIT 1) AS measured_change, (SELECT CAST(CAST((m.details ->> 'low') AS TEXT) AS DOUBLE PRECISION) FROM event m WHERE m.alert_id = a.alert_id AND m.what = 'measured' AND CAST((m.details ->> 'series') AS TEXT) = CAST((a.details ->> 'series') AS TEXT) ORDER BY m.seq DESC, m.event_id DESC LIMIT 1) AS measured_low, (SELECT CAST(CAST((m.details ->> 'high') AS TEXT) AS DOUBLE PRECISION) FROM event m WHERE m.alert_id = a.alert_id AND m.what = 'measured' AND CAST((m.details ->> 'series') AS TEXT) = CAST((a.details ->> 'series') AS TEXT) ORDER BY m.seq DESC, m.event_id DESC LIMIT 1) AS measured_high FROM event a WHERE a.alert_id <> '' AND a.what = 'fired';
COMMIT;
